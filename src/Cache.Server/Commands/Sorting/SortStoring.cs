using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sorting;

/// <summary>Writes a result if what was sorted is still the same; without patterns it is sorted anew if not.</summary>
internal ref struct SortStoring(
    in RespRequest request, SortOptions options, SortTexts elements, SortTexts output, int keyspace) : ITransaction
{
    // Of the list that is written: a small one is told as it is, of a larger one each element has a header.
    private const int ListBytes = 4096;
    private const int LargeListBytesMax = 256 << 10;

    private readonly RespRequest _request = request;
    private readonly SortOptions _options = options;

    public readonly int KeyCount => 2;

    public readonly int WriteCount => 1;

    public readonly long WrittenBytes => _options.Destination.Length
        + (SortTexts.BytesMax - output.Room > ListBytes / 2 || output.Count > ListBytes / 16
            ? LargeListBytesMax : ListBytes);

    public SortFault Fault { get; set; }

    /// <summary>Whether nothing is written since another client changed what was sorted.</summary>
    public bool IsOutdated { get; private set; }

    public WriteStatus Status { get; private set; }

    public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _request[1] : _options.Destination;

    public readonly int GetKeyspace(int index) => keyspace;

    public void Run(CacheStore store)
    {
        store.TryPeekInfo(_request[1], out var info);
        using var present = new SortTexts();
        Fault = SortCommands.Read(store, _request[1], info.Kind, present);
        if (Fault != SortFault.None)
            return;
        if (_options.IsUnsorted && _options.IsDescending && SortSource.IsOrdered(info.Kind))
            present.Reverse(); // As the elements were.
        if (!present.AreSame(elements))
        {
            IsOutdated = _options.Gets > 0 || _options.HasWeights;
            if (IsOutdated)
                return;
            Fault = SortWork.Make(_request, _options, info.Kind, store, present, output);
            if (Fault != SortFault.None)
                return;
        }

        var sorted = new SortedTexts(output);
        Status = store.List(_options.Destination).Replace(ref sorted);
    }
}
