using System.Buffers;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Streams;

/// <summary>The fields of a new entry, as they are stored, until it is appended; dispose it.</summary>
internal ref struct NewEntry : IDisposable
{
    // A longer one lies in memory of the store, as its arguments may: the collector would keep the array.
    private const int PooledBytesMax = 64 << 10;

    private byte[]? _pooled;
    private StoreState? _state;
    private LargeBlock _block;

    /// <summary>The fields, valid until it is disposed.</summary>
    public ReadOnlySpan<byte> Value { get; private set; }

    /// <returns>Done, or why they cannot be stored.</returns>
    public WriteStatus TryMake<TFields>(StoreState state, ref TFields fields)
        where TFields : struct, IEntrySource, allows ref struct
    {
        long length = LengthOf(ref fields, out int shapeLength);
        if (length > state.ValueLengthMax)
            return WriteStatus.ValueTooLong;
        Span<byte> value;
        if (length > PooledBytesMax && state.TryCreateUncounted((int)length, out _block))
        {
            _state = state;
            value = _block.Value;
        }
        else
        {
            _pooled = ArrayPool<byte>.Shared.Rent((int)length);
            value = _pooled.AsSpan(0, (int)length);
        }

        Write(ref fields, shapeLength, value);
        Value = value;
        return WriteStatus.Done;
    }

    public void Dispose()
    {
        Value = default;
        if (_pooled is not null)
            ArrayPool<byte>.Shared.Return(_pooled);
        _state?.ReleaseUncounted(_block);
        (_pooled, _state) = (null, null);
    }

    /// <summary>The bytes that fields take, and their names of these.</summary>
    public static long LengthOf<TFields>(ref TFields fields, out int shapeLength)
        where TFields : struct, IEntrySource, allows ref struct
    {
        long shape = Varint.SizeOf((ulong)fields.Count), values = 0;
        for (int i = 0; i < fields.Count; i++)
        {
            shape += Varint.SizeOfBytes(fields.GetKey(i).Length);
            values += Varint.SizeOfBytes(fields.GetValue(i).Length);
        }

        shapeLength = (int)Math.Min(shape, int.MaxValue);
        return Varint.SizeOf((ulong)shape) + shape + values;
    }

    /// <summary>Writes fields into exactly their bytes.</summary>
    public static void Write<TFields>(ref TFields fields, int shapeLength, Span<byte> value)
        where TFields : struct, IEntrySource, allows ref struct
    {
        int at = Varint.Write(value, (ulong)shapeLength);
        at += Varint.Write(value[at..], (ulong)fields.Count);
        for (int i = 0; i < fields.Count; i++)
            at += Varint.WriteBytes(value[at..], fields.GetKey(i));
        for (int i = 0; i < fields.Count; i++)
            at += Varint.WriteBytes(value[at..], fields.GetValue(i));
    }
}
