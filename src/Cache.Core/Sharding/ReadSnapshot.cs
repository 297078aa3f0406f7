using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>What a read found for a key, and the versions that prove it.</summary>
internal struct ReadSnapshot
{
    public Bucket Home;
    public uint HomeVersion;

    // The bucket that holds the entry: home, or one that it spilled to.
    public Bucket Holder;
    public uint HolderVersion;
    public int Slot;
    public Record Record;
    public RecordHeader Header;
    public RecordExpiry Expiry;

    /// <summary>The generation of the keyspace in which the key was looked for.</summary>
    public int Generation;

    /// <summary>The length of the whole value.</summary>
    public int Length;

    /// <summary>What the value's block counts against the limit, if it has one.</summary>
    public long BlockBytes;

    /// <summary>The object of a large collection.</summary>
    public ObjectStub Object;

    /// <summary>The bytes that were copied into the sink's span and not yet announced to it.</summary>
    public int CopiedLength;

    /// <summary>The value's block if it was asked for instead of a copy, with a reference to it; else null.</summary>
    public LargeBlock Lent;

    /// <summary>What a read of the string that was looked for reports, of an entry that was found.</summary>
    public readonly ReadStatus FoundStatus => Header.IsString ? ReadStatus.Found : ReadStatus.WrongType;

    /// <summary>What the value is.</summary>
    public readonly EntryKind Kind => Slot == 0 ? EntryKind.None : Header.Kind;

    /// <summary>Whether nothing was written since: everything that was read belongs together.</summary>
    public readonly bool IsValid => Home.IsAt(HomeVersion) && Holder.IsAt(HolderVersion);

    /// <summary>The version of the home bucket that a stamp stands for.</summary>
    public static uint HomeVersionOf(EntryVersion version) => Bucket.FreeVersionOf((uint)version.Stamp);

    /// <summary>The generation of the keyspace that a stamp stands for.</summary>
    public static int GenerationOf(EntryVersion version) => (int)(version.Stamp >> 32) & (Generations.PerKeyspace - 1);

    /// <summary>The version of a large collection that a stamp stands for.</summary>
    public static uint ObjectVersionOf(EntryVersion version) => (uint)(version.Stamp >> EntryVersion.ObjectShift);
}

/// <summary>What is known of a value that was copied from its home bucket.</summary>
internal struct PlainRead
{
    public Bucket Home;
    public uint Version;
    public int Slot;
    public int Length;
}
