using System.Runtime.CompilerServices;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Expiry;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Fields of hashes that expire: for the sweep.</summary>
/// <remarks>
/// A segment is due when a record in it is, or a field of a hash: the record of a hash says when its first one is, or
/// its object does. Whoever gives a field a moment notes it there afterwards, holding the home of the key; so does who
/// moves the record, which is then as it was, or noted by the other.
/// </remarks>
internal sealed partial class Shard
{
    /// <summary>By which fields of hashes expire.</summary>
    public FieldClock Fields => _state.Fields;

    /// <summary>The first moment at which a field in a record expires; 0: none does. Of torn bytes any.</summary>
    public static long FirstMomentOf(SharedState state, Record record, RecordHeader header)
    {
        if (header.Kind != EntryKind.Hash)
            return 0;
        var value = record.ValueOf(header);
        if (header.IsPaged)
            return state.Objects is { } objects ? objects.ViewOf(ObjectStub.Read(value).Number).FirstMoment : 0;
        if ((PackedTable.FlagsOf(value) & PackedTable.TimedFlag) == 0
            || !PackedTable.TryOpen(value, PackedShape.Hash, out var table))
        {
            return 0;
        }

        table.CountTimed(0, out long firstMs);
        return firstMs;
    }

    /// <summary>Notes when the first field in a record expires; the home of its key is held.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each write.
    public void NoteFields(Record record, RecordHeader header)
    {
        if (header.Kind == EntryKind.Hash)
            NoteFieldsOfHash(record, header);
    }

    /// <summary>Notes when the first field of a key's large hash expires.</summary>
    public void NoteFields(in EntryKey key, ObjectStub stub)
    {
        var entry = default(EntryLock);
        LockToRead(key, ref entry);
        if (entry.IsFound && entry.Object == stub)
            NoteFields(entry.Record, entry.Header);
        Unlock(ref entry);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Not of strings.
    private void NoteFieldsOfHash(Record record, RecordHeader header)
    {
        long firstMs = FirstMomentOf(_state, record, header);
        if (firstMs != 0)
            _log.LowerMoment(_records.SegmentOf(record), firstMs);
    }
}
