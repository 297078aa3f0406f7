using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Copies a small collection as it is stored; tells that it is a large one.</summary>
internal ref struct StoredCopy(Span<byte> room) : IPackedQuery, IObjectQuery
{
    private readonly Span<byte> _room = room;
    private int _length;

    public bool IsObject { get; private set; }

    public readonly ReadOnlySpan<byte> Bytes => _room[.._length];

    public void Read(ReadOnlySpan<byte> packed)
    {
        IsObject = false;
        _length = Math.Min(packed.Length, _room.Length);
        packed[.._length].CopyTo(_room);
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        IsObject = true;
        _length = 0;
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
