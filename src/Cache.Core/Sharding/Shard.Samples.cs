using System.Numerics;
using Cache.Core.Curve;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Looks at entries by nothing but their hash.</summary>
internal sealed partial class Shard
{
    /// <summary>What the entry of a hash is, of which the lowest bits are not known.</summary>
    /// <returns>False if there is none, or a writer is there.</returns>
    public bool TryDescribe(ulong hash, out SampledEntry entry)
    {
        var home = HomeOf(hash);
        if (TryDescribeIn(home, hash, out entry))
            return true;
        for (ulong wanted = home.SpillBuckets; wanted != 0; wanted &= wanted - 1)
        {
            if (TryDescribeIn(home.Page[BitOperations.TrailingZeroCount(wanted)], hash, out entry))
                return true;
        }

        return false;
    }

    /// <summary>Counts a read of an entry that goes with it: before it is noted to have gone.</summary>
    public void CountHit(in EntryKey key) => _state.Counters.Hit(key.Hash);

    /// <summary>Notes that a key's entry was to go, and was not there: in a larger store it might be.</summary>
    public void NoteAbsence(in EntryKey key) => _state.Counters.Note(key.Hash, AccessKind.Removal);

    private bool TryDescribeIn(Bucket bucket, ulong hash, out SampledEntry entry)
    {
        entry = default;
        uint version = bucket.ReadVersion();
        if ((version & 1) != 0)
            return false;
        for (uint matches = bucket.MatchAnyGeneration(hash); matches != 0; matches &= matches - 1)
        {
            ulong word = bucket.EntryAt(BitOperations.TrailingZeroCount(matches));
            var record = _records[word];
            var header = record.Header;
            if (!bucket.IsAt(version)) // From here on the lengths can be trusted.
                return false;
            // Not of the record alone: its header may be another by now.
            ulong found = _state.HashOf(record.KeyOf(header), header.Keyspace);
            if ((found & ~AccessSamples.KindMask) != hash
                || Bucket.GenerationOf(word) != _generations.Of((byte)header.Keyspace))
            {
                continue;
            }

            return TryDescribe(bucket, version, record, header, out entry);
        }

        return false;
    }

    private bool TryDescribe(
        Bucket bucket, uint version, Record record, RecordHeader header, out SampledEntry entry)
    {
        var expiry = record.ExpiryOf(header);
        long size = header.RecordSize;
        entry = default;
        if (!bucket.TryLockAt(version)) // The block of a large value stays while this is held.
            return false;
        if (header.IsLarge)
            size += LargeBlock.ReadStub(record.ValueOf(header)).SizeBytes;
        if (header.IsPaged)
            size += AccountedBytesOf(ObjectStub.Read(record.ValueOf(header)));
        bucket.Unlock(version, changed: false);
        var now = _state.Clock.Now;
        entry = new SampledEntry(
            size, now.ToStoreMs(expiry), expiry.SlidingMs, expiry.IsSliding ? now.ToStoreMs(expiry.AbsoluteMs) : 0,
            (byte)header.Keyspace, header.IsPaged);
        return true;
    }
}
