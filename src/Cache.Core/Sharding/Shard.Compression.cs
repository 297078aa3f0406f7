using System.Buffers;
using System.Diagnostics;
using Cache.Core.Compression;
using Cache.Core.Layout;
using Cache.Core.Packing;

namespace Cache.Core.Sharding;

/// <summary>Compressed values: how they are read, and when they are made.</summary>
/// <remarks>
/// A compressed value is never written in place: a write of the key makes a plain record. Its bytes change by a copy
/// of the record alone, to main by the reclaimer, or under another key.
/// </remarks>
internal sealed partial class Shard
{
    /// <summary>Decodes a value from its record into the sink's span, between the two looks at the versions.</summary>
    private bool TryCopyPacked<TSink>(ByteRange bytes, ref TSink sink, ref ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        Debug.Assert(snapshot.Header.IsCompressed);
        var packed = snapshot.Record.ValueOf(snapshot.Header);
        bool isPacked = PackedValue.TryReadPrefix(packed, out var prefix);
        if (!snapshot.IsValid) // From here on the length can be trusted.
            return false;
        if (!isPacked)
            ValuePacker.ThrowDamaged();
        var (offset, length) = bytes.Within(prefix.Length);
        snapshot.Length = prefix.Length;
        snapshot.CopiedLength = length;
        bool isUnpacked = _state.Packer.TryUnpack(packed, prefix, offset, sink.GetSpan(length)[..length]);
        if (!snapshot.IsValid)
            return false;
        if (!isUnpacked)
            ValuePacker.ThrowDamaged();
        return true;
    }

    /// <summary>The value of a locked entry, decoded if it is compressed; valid until the unlock.</summary>
    public ReadOnlySpan<byte> ValueOf(scoped ref EntryLock entry)
    {
        entry.AssertHeld();
        if (!entry.Header.IsCompressed)
            return entry.StoredValue;
        int length = entry.ValueLength;
        if (entry.Unpacked is null)
            UnpackTo(ref entry, entry.StoredValue, length);
        return entry.Unpacked.AsSpan(0, length);
    }

    /// <summary>Decodes a value into an array that the unlock of an entry returns.</summary>
    /// <remarks>Before anything is staged or changed: there may be no memory for it.</remarks>
    private void UnpackTo(ref EntryLock entry, ReadOnlySpan<byte> packed, int length)
    {
        Debug.Assert(entry.Unpacked is null);
        RoomSteps.At(RoomStep.PackingNeedsMemory);
        entry.Unpacked = ArrayPool<byte>.Shared.Rent(length);
        _state.Packer.Unpack(packed, entry.Unpacked.AsSpan(0, length));
    }

    private static void ReturnUnpacked(ref EntryLock entry)
    {
        Debug.Assert(entry.Unpacked is not null);
        ArrayPool<byte>.Shared.Return(entry.Unpacked!);
        entry.Unpacked = null;
    }

    /// <summary>Makes the bytes that the value of a locked entry has in main; nothing is locked meanwhile.</summary>
    /// <remarks>
    /// The value is copied under the lock, compressed without it, and what came of it counts only if none of the
    /// entry's buckets was written in between. Then others can read and write there for all that time.
    /// </remarks>
    /// <returns>False if nothing points at the record any more: then nothing is locked.</returns>
    private bool TryRepack(scoped ref EntryLock entry, ulong hash, int frequency, out MovedValue moved)
    {
        Debug.Assert(_reclaimer.Gate.IsHeldByCurrentThread, "The packer's memory is the gate's.");
        Debug.Assert(entry.IsFound && !entry.IsChanged);
        moved = default;
        var record = entry.Record;
        var header = entry.Header;
        var bytes = record.ValueOf(header);
        var step = _state.Packer.Choose(header, bytes, frequency);
        bool mayUnpack = header.IsCompressed && HasRoomToUnpack(header, bytes);
        if (step == PackStep.None || (step == PackStep.Unpack && !mayUnpack))
            return true;
        if (!TryTake(bytes))
            return true;
        var before = entry;
        Unlock(ref entry);
        RoomSteps.At(RoomStep.ValueTaken);
        TryRun(step, header.IsCompressed, out moved);
        if (!TryLockRecord(record, hash, ref entry))
            return false;
        bool isSame = entry.Home.Equals(before.Home) && entry.HomeVersion == before.HomeVersion
            && entry.Holder.Equals(before.Holder) && entry.HolderVersion == before.HolderVersion;
        if (!isSame || (!moved.IsCompressed && !mayUnpack))
            moved = default;
        RemoveIfCleared(ref entry);
        RemoveIfExpired(ref entry);
        return true;
    }

    /// <returns>False if there is no memory for a copy of the value: it stays as it is.</returns>
    private bool TryTake(ReadOnlySpan<byte> bytes)
    {
        try
        {
            RoomSteps.At(RoomStep.PackingNeedsMemory);
            _state.Packer.Take(bytes);
            return true;
        }
        catch (OutOfMemoryException) // Thrown on, it would leave the bucket locked, or end the sweep's process.
        {
            return false;
        }
    }

    // The same of what is made of the copy.
    private void TryRun(PackStep step, bool isCompressed, out MovedValue moved)
    {
        try
        {
            RoomSteps.At(RoomStep.PackingNeedsMemory);
            _state.Packer.TryRun(step, isCompressed, out moved);
        }
        catch (OutOfMemoryException)
        {
            moved = default;
        }
    }

    // The reclaimer works because there is little room: a record that grows may take what is there beside the spare.
    private bool HasRoomToUnpack(RecordHeader header, ReadOnlySpan<byte> packed)
    {
        int length = PackedValue.LengthOf(packed);
        return _state.Budget.HasRoomFor(_log.SpareBytes) && !IsLarge(header.KeyLength, length)
            && header.RecordSize + length <= _log.Capacity;
    }
}
