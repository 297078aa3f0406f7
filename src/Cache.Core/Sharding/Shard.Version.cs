using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Reads that leave a stamp, and the question whether a stamp still holds.</summary>
internal sealed partial class Shard
{
    /// <summary>Copies a value, with the stamp by which a later write of the key shows.</summary>
    /// <remarks>touch: Whether this counts as a read, which renews what a read renews.</remarks>
    public ReadStatus Read<TSink>(in EntryKey key, bool touch, ref TSink sink, out EntryStamp stamp)
        where TSink : struct, IValueSink, allows ref struct
    {
        var status = Copy(key, ByteRange.All, ref sink, out var snapshot);
        // Taken before the read is noted: a sliding expiry is renewed by a write, and ends the stamp.
        stamp = new EntryStamp
        {
            Hash = key.Hash,
            HomeVersion = Bucket.FreeVersionOf(snapshot.HomeVersion),
            Keyspace = key.Keyspace,
            Generation = (byte)snapshot.Generation,
            HolderIndex = (byte)(snapshot.Slot != 0 ? snapshot.Holder.IndexInPage : 0),
            Slot = (byte)snapshot.Slot,
            Kind = snapshot.Kind,
            ExpiresAtMs = snapshot.Expiry.IsExpiring ? _state.Clock.Now.ToStoreMs(snapshot.Expiry) : 0,
            MustBeRead = snapshot.Expiry.IsSliding || snapshot.Expiry.HasMoment,
        };
        if (touch)
            Note(key, snapshot, status);
        if (status == ReadStatus.Found)
            sink.Advance(snapshot.CopiedLength);
        return status;
    }

    /// <summary>Whether the key of a found entry was not written since; if so, this counts as a read of it.</summary>
    /// <remarks>
    /// A home at the same version was neither written nor split, and its entries were not moved: each of these
    /// needs its lock. Where the entry lies is therefore still true, also of one that spilled. A clear needs no lock,
    /// but changes the generation; that is not used again while the entry lies there.
    /// </remarks>
    public bool TryTouch(in EntryStamp stamp)
    {
        Debug.Assert(stamp.Slot != 0, "There is nothing to touch where nothing was found.");
        var home = HomeOf(stamp.Hash);
        // The generation first: once the entry was freed, its generation may come again.
        if (_generations.Of(stamp.Keyspace) != stamp.Generation)
            return false;
        RoomSteps.At(RoomStep.ReadsVerified);
        if (!home.IsAt(stamp.HomeVersion))
            return false;
        home.Page[stamp.HolderIndex].Touch(stamp.Slot);
        _state.Counters.Hit(stamp.Hash);
        return true;
    }
}
