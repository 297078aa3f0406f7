using System.Buffers;
using System.Diagnostics;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>A copy of a whole small collection, for reads of several entries at one moment; dispose it.</summary>
internal ref struct CollectionCopy : IPackedQuery, IDisposable
{
    private readonly byte[] _bytes;
    private readonly PackedShape _shape;
    private int _length;

    private CollectionCopy(PackedShape shape)
    {
        _shape = shape;
        _bytes = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
    }

    /// <summary>The entries; none if the key is absent or of another kind.</summary>
    public readonly PackedTable Table
    {
        get
        {
            if (!PackedTable.TryOpen(_bytes.AsSpan(0, _length), _shape, out var table) && _length != 0)
                PackedCheck.ThrowDamaged();
            return table;
        }
    }

    /// <summary>The flags, see <see cref="PackedTable.FlagsOf"/>.</summary>
    public readonly int Flags => PackedTable.FlagsOf(_bytes.AsSpan(0, _length));

    public static CollectionCopy Take(
        StoreState state, scoped in EntryKey key, EntryKind kind, out ReadStatus status)
    {
        bool hasShape = PackedCheck.TryGetShape(kind, out var shape);
        Debug.Assert(hasShape, "Only what has a packed form is copied.");
        var copy = new CollectionCopy(shape);
        try
        {
            status = state.ShardOf(key.Hash).Query(key, kind, ref copy);
        }
        catch // The store was disposed.
        {
            copy.Dispose();
            throw;
        }

        if (status != ReadStatus.Found)
            copy._length = 0; // An attempt may have copied what was there then.
        return copy;
    }

    public void Read(ReadOnlySpan<byte> packed)
    {
        _length = Math.Min(packed.Length, PackedTable.LengthMax);
        packed[.._length].CopyTo(_bytes);
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public readonly void Dispose() => ArrayPool<byte>.Shared.Return(_bytes);
}
