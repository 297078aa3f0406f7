using System.Buffers;
using System.Diagnostics;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes of a value that the caller's code computes from the present one.</summary>
/// <remarks>
/// It is computed without a lock, and written if the key's bucket was not written meanwhile. After
/// <see cref="AttemptsMax"/> failed attempts it is computed under the lock.
/// </remarks>
internal static class ValueUpdater
{
    /// <summary>The attempts without a lock; each fails only if other threads write in the key's bucket.</summary>
    public const int AttemptsMax = 8;

    /// <returns>
    /// ConditionNotMet if the update made none, ValueTooLong if the present or the new value is; else the write's
    /// status.
    /// </returns>
    public static WriteStatus Update<TUpdate>(StoreState state, in EntryKey key, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        if (key.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(update.LengthMax);
        try
        {
            for (int attempts = 0; attempts < AttemptsMax; attempts++)
            {
                if (TryUpdate(state, key, buffer, ref update, out var status))
                    return status;
            }
        }
        finally // The update may throw.
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        Debug.Assert(key.Locks is null, "No other thread writes what a transaction has locked.");
        return UpdateLocked(state, key, ref update);
    }

    /// <returns>False if the key's bucket was written meanwhile.</returns>
    private static bool TryUpdate<TUpdate>(
        StoreState state, in EntryKey key, byte[] buffer, ref TUpdate update, out WriteStatus status)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        var sink = new BufferSink(buffer);
        var bytes = update.LengthMax == 0 ? ByteRange.None : new ByteRange(0, update.LengthMax - 1);
        var found = state.ShardOf(key.Hash).Copy(key, bytes, ref sink, out var read);
        if (found == ReadStatus.WrongType)
        {
            status = WriteStatus.WrongType;
            return true;
        }

        bool exists = found == ReadStatus.Found;
        status = Make(exists ? read.Length : 0, buffer.AsSpan(0, exists ? read.CopiedLength : 0), exists, ref update);
        if (status != WriteStatus.Done)
            return true;
        status = EntryWriter.SetIfUnchanged(
            state, key, update.Value, new EntryOptions { KeepTtl = true },
            EntryVersion.Of(read.HomeVersion, read.Generation));
        return status != WriteStatus.ConditionNotMet;
    }

    private static WriteStatus UpdateLocked<TUpdate>(StoreState state, in EntryKey key, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        var operation = new UpdateOperation<TUpdate>(update, state.ValueLengthMax);
        var status = state.ShardOf(key.Hash).Write(key, ref operation);
        update = operation.Update;
        return status;
    }

    /// <summary>Lets the update compute a value from the present one, if that is short enough for it.</summary>
    public static WriteStatus Make<TUpdate>(
        int length, ReadOnlySpan<byte> present, bool exists, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        if (length > update.LengthMax)
            return WriteStatus.ValueTooLong;
        return update.TryMake(present, exists) ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    private readonly struct BufferSink(byte[] buffer) : IValueSink
    {
        public Span<byte> GetSpan(int length) => buffer.AsSpan(0, length);

        public void Advance(int length)
        {
        }
    }
}
