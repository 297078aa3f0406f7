using System.Buffers;
using Cache.Core;

namespace Cache.AspNetCore;

/// <summary>Copies the response of a valid entry to a new array of its length.</summary>
internal struct ResponseArraySink(TagTable evictions) : IValueSink
{
    private readonly TagTable _evictions = evictions;
    private byte[]? _scratch;

    /// <summary>The response; null if the entry is not valid.</summary>
    public byte[]? Response { get; private set; }

    public Span<byte> GetSpan(int length)
    {
        Release();
        return _scratch = ArrayPool<byte>.Shared.Rent(length);
    }

    public void Advance(int length)
    {
        var entry = _scratch.AsSpan(0, length);
        if (Entry.TryRead(entry, out int responseLength, out long number, out var tags)
            && _evictions.IsCurrent(number, tags))
        {
            Response = entry[..responseLength].ToArray();
        }
    }

    /// <summary>Gives the scratch memory back; call it after the read.</summary>
    public void Release()
    {
        if (_scratch is { } scratch)
            ArrayPool<byte>.Shared.Return(scratch);
        _scratch = null;
    }
}
