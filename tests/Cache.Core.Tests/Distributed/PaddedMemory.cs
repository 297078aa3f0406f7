using System.Buffers;

namespace Cache.Core.Tests.Distributed;

/// <summary>Memory that does not say it is an array, with bytes around it that nobody may write.</summary>
internal sealed class PaddedMemory : MemoryManager<byte>
{
    private const int Padding = 16;
    private const byte Guard = 0xEE;

    private readonly byte[] _bytes;
    private readonly int _length;

    public PaddedMemory(ReadOnlySpan<byte> content)
    {
        _length = content.Length;
        _bytes = GC.AllocateArray<byte>(_length + (2 * Padding), pinned: true);
        _bytes.AsSpan().Fill(Guard);
        content.CopyTo(GetSpan());
    }

    public override Span<byte> GetSpan() => _bytes.AsSpan(Padding, _length);

    public override MemoryHandle Pin(int elementIndex = 0) =>
        throw new NotSupportedException("The store copies; it has nothing to pin.");

    public override void Unpin()
    {
    }

    /// <summary>Throws unless what lies around the content is as it was.</summary>
    public void AssertGuarded()
    {
        Assert.Equal(-1, _bytes.AsSpan(0, Padding).IndexOfAnyExcept(Guard));
        Assert.Equal(-1, _bytes.AsSpan(Padding + _length).IndexOfAnyExcept(Guard));
    }

    protected override void Dispose(bool disposing)
    {
    }
}
