using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>What the locks of a transaction have besides: room for its writes, which cannot wait for any.</summary>
internal sealed partial class KeyLocks
{
    /// <summary>Bytes of the budget that were taken before the locks, for writes under them.</summary>
    public long RoomBytes { get; private set; }

    /// <summary>What was written under the locks; entries make room for it afterwards.</summary>
    public long WrittenBytes { get; private set; }

    /// <summary>The group in the journal that its writes are recorded in; null if there was no journal.</summary>
    public ChangeRecorder? Recorder { get; set; }

    public void BeginTransaction(long roomBytes)
    {
        Debug.Assert(_count == 0, "Room is taken before anything is locked.");
        Debug.Assert(RoomBytes == 0 && WrittenBytes == 0, "The last transaction has ended.");
        RoomBytes = roomBytes;
    }

    /// <returns>The room that was not used.</returns>
    public long EndTransaction()
    {
        Debug.Assert(_count == 0, "Everything is unlocked.");
        long unused = RoomBytes;
        Debug.Assert(unused >= 0);
        RoomBytes = WrittenBytes = 0;
        return unused;
    }

    /// <summary>Uses up a part of the room.</summary>
    public bool TryUseRoom(long bytes)
    {
        Debug.Assert(bytes >= 0);
        if (bytes > RoomBytes)
            return false;
        RoomBytes -= bytes;
        return true;
    }

    public void NoteWritten(long bytes)
    {
        Debug.Assert(bytes >= 0);
        WrittenBytes += bytes;
    }

    /// <summary>The version that a bucket, which is held, will have once it is unlocked.</summary>
    public uint VersionAfter(Bucket bucket)
    {
        bool isHeld = TryHold(bucket, out uint version);
        Debug.Assert(isHeld, "A key's home is held throughout.");
        bool isChanged = (_pages[IndexOf(bucket.Page)].Changed & (1UL << bucket.IndexInPage)) != 0;
        return isChanged ? version + Bucket.VersionStep : version;
    }

    /// <summary>Takes over the generations, when the homes were locked.</summary>
    public void ReadGenerations(SharedState state)
    {
        Generations = state.Generations.Word;
    }

    /// <summary>The same of some keyspaces, one bit for each, after a clear of them under the locks.</summary>
    public void ReadGenerations(SharedState state, uint keyspaces)
    {
        Generations = state.Generations.Renewed(Generations, keyspaces);
    }
}
