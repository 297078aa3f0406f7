using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Compression;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>A key's home bucket while it is locked, and the entry that was found for the key.</summary>
internal struct EntryLock
{
    public Bucket Home;
    public uint HomeVersion;

    // The bucket that holds the entry or its reserved slot: home, or one that it spilled to and that is locked too.
    public Bucket Holder;
    public uint HolderVersion;
    public int Slot;

    // The entry's record; null if there is none.
    public Record Record;
    public RecordHeader Header;

    /// <summary>The generation that the key's entry is in, or gets: the keyspace's, as of this lock.</summary>
    public int Generation;

    // The record's value, if it is large.
    public LargeBlock Block;

    // The record's object, if the value is a large collection.
    public ObjectStub Object;

    /// <summary>Whether the object stays when this record goes: another record has its stub.</summary>
    public bool KeepsObject;

    /// <summary>The key's hash, if a change is noted as one that a caller asked for; else 0.</summary>
    public ulong NotedHash;

    /// <summary>Whether anything that a reader may have seen is different now.</summary>
    public bool IsChanged;

    /// <summary>The locks of an operation on several keys, which outlive this one; null for one key.</summary>
    public KeyLocks? Set;

    /// <summary>Whether the set is this one's own, exclusive one, and ends with it.</summary>
    public bool OwnsSet;

    // What stood in the way, for Shard.TryOvercome.
    public Obstacle Obstacle;
    public LogStream Stream;
    public long BytesWanted;

    /// <summary>The room in the journal for what this write changes next; null: none was reserved.</summary>
    public ChangeRecorder? Recorder;

    /// <summary>Whether the write may pass the limit, because it is on the way to giving memory back.</summary>
    public bool MayOverdraw;

    /// <summary>Whether a new entry belongs to main, whatever else is known of it.</summary>
    public bool BelongsToMain;

    /// <summary>The uses that a new entry begins with.</summary>
    public byte UseCount;

    /// <summary>The key that the value comes from, which must not make room for itself; else 0.</summary>
    public ulong SourceHash;

    /// <summary>A record that was allocated ahead of the lock, in the room made for it; outlives the lock.</summary>
    public Record AheadRecord;

    /// <summary>Bytes of the budget that were taken ahead for a block; they outlive the lock.</summary>
    public long PrepaidBytes;

    /// <summary>What the write holds besides: blocks and records that are not linked yet.</summary>
    public HeldBytes Held;

    /// <summary>How often an operation on several keys made room for all of them; it outlives the lock.</summary>
    public int RoomAttempts;

    /// <summary>How often another thread's lock was in the way; it outlives the lock.</summary>
    public int Contentions;

    /// <summary>How often a slot was made that others took; it outlives the lock.</summary>
    public int SlotAttempts;

    /// <summary>A block that is no longer pointed at, to be released after the lock.</summary>
    public LargeBlock Garbage;

    /// <summary>An object whose key's record is gone, to be retired after the lock.</summary>
    public ObjectStub GarbageObject;

    /// <summary>A rented array with the decoded value, once it was asked for; returned by the unlock.</summary>
    public byte[]? Unpacked;

    /// <summary>Notes what stood in the way.</summary>
    /// <returns>What the write reports if it cannot be overcome.</returns>
    public WriteStatus Fail(Obstacle obstacle)
    {
        Debug.Assert(obstacle != Obstacle.None);
        Obstacle = obstacle;
        return WriteStatus.OutOfMemory;
    }

    /// <summary>Fails unless the caller holds the entry's home, and what is found is a live record.</summary>
    [Conditional("DEBUG")]
    public readonly void AssertHeld()
    {
        Debug.Assert(!Home.IsNull);
        Debug.Assert(Bucket.IsHeld(Home.ReadVersion()), "A thread that changes an entry holds its home.");
        Debug.Assert(Record.IsNull || Header.RecordSize > 0, "A record has a header.");
    }

    public readonly bool IsFound => !Record.IsNull;

    /// <summary>Whether there is an entry, and it is of another kind than operations on strings know.</summary>
    public readonly bool IsOtherKind => IsFound && !Header.IsString;

    /// <summary>The bytes of the value as they are kept; <see cref="Shard.ValueOf(ref EntryLock)"/> decodes.</summary>
    public readonly ReadOnlySpan<byte> StoredValue => Header.IsLarge ? Block.Value : Record.ValueOf(Header);

    /// <summary>The length of the entry's value.</summary>
    public readonly int ValueLength => Header.IsLarge ? Block.Length
        : Header.IsCompressed ? PackedValue.LengthOf(Record.ValueOf(Header))
        : Header.ValueLength;

    public readonly bool IsSpilled => !Holder.Equals(Home);
}
