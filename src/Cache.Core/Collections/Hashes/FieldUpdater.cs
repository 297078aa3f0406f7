using System.Buffers;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Hashes;

/// <summary>Writes of a field that the caller's code computes from the present value.</summary>
/// <remarks>
/// It is computed without a lock, and written if the field still has the value. After
/// <see cref="ValueUpdater.AttemptsMax"/> failed attempts it is computed under the lock.
/// </remarks>
internal static class FieldUpdater
{
    public static WriteStatus Update<TUpdate>(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> field, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            for (int attempts = 0; attempts < ValueUpdater.AttemptsMax; attempts++)
            {
                if (TryUpdate(state, key, field, buffer, ref update, out var status))
                    return status;
            }
        }
        finally // The update may throw.
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        var edit = new UpdateFieldEdit<TUpdate>(field, update, state.EncodingLimits);
        var last = ObjectWriter.Write(state, key, ref edit);
        update = edit.Update;
        return last;
    }

    /// <returns>False if the field was written meanwhile.</returns>
    private static bool TryUpdate<TUpdate>(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> field, byte[] buffer, ref TUpdate update,
        out WriteStatus status)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        var query = new FieldQuery<BufferSink>(state.Fields, field, new BufferSink(buffer));
        var read = state.ShardOf(key.Hash).QueryAnyUncounted(key, EntryKind.Hash, ref query, out _);
        status = WriteStatus.WrongType;
        if (read == ReadStatus.WrongType)
            return true;
        if (read == ReadStatus.Found && query.IsLong)
            return TryUpdateLong(state, key, field, query.Length, ref update, out status);
        bool exists = read == ReadStatus.Found && query.IsFound;
        var present = buffer.AsSpan(0, exists ? query.Length : 0);
        status = ValueUpdater.Make(present.Length, present, exists, ref update);
        if (status != WriteStatus.Done)
            return true;
        var edit = new ReplaceFieldEdit(field, present, exists, update.Value, state.EncodingLimits);
        status = ObjectWriter.Write(state, key, ref edit);
        return !edit.IsOutdated;
    }

    // False also where it is not long any more.
    private static bool TryUpdateLong<TUpdate>(
        StoreState state, in EntryKey key, ReadOnlySpan<byte> field, int length, ref TUpdate update,
        out WriteStatus status)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        status = WriteStatus.ValueTooLong;
        if (length > update.LengthMax)
            return true;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(length);
        try
        {
            var sink = new LongSink(buffer);
            if (LongElementReader.Read(state, key, new FieldFinder(field), ref sink) != ReadStatus.Found
                || sink.Length > buffer.Length)
            {
                return false;
            }

            status = ValueUpdater.Make(sink.Length, sink.Value, exists: true, ref update);
            if (status != WriteStatus.Done)
                return true;
            var edit = new ReplaceFieldEdit(field, sink.Value, existed: true, update.Value, state.EncodingLimits);
            status = ObjectWriter.Write(state, key, ref edit);
            return !edit.IsOutdated;
        }
        finally // The update may throw.
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    // What is longer than it was a moment ago is not kept.
    private struct LongSink(byte[] buffer) : IValueSink
    {
        public int Length { get; private set; }

        public readonly ReadOnlySpan<byte> Value => buffer.AsSpan(0, Length);

        public readonly Span<byte> GetSpan(int length) => length <= buffer.Length ? buffer : new byte[length];

        public void Advance(int length) => Length = length;
    }

    // A torn length may be any; what is copied then is thrown away.
    private readonly struct BufferSink(byte[] buffer) : IValueSink
    {
        public Span<byte> GetSpan(int length) => buffer.AsSpan(0, length);

        public void Advance(int length)
        {
        }
    }
}
