using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Cache.Core.Layout;

/// <summary>One cache line of the index: a version that guards it, and seven entries that point at records.</summary>
/// <remarks>
/// <code>
///  0       4      6      8        16                64
///  ├───────┼──────┼──────┼────────┼── ··· ──────────┤
///  │version│ freq │spill │ slot 1 │  slots 2 … 7    │
///  └───────┴──────┴──────┴────────┴── ··· ──────────┘
///  version  bit 0      a writer holds the bucket, and may change it
///           bit 1      a writer holds the bucket, and changes nothing for now: others may read, but not write
///           bits 2–31  counts the changes
///  freq     7 × 2 bits: how often a slot was used; plain stores of readers, so a lost one is a lost use
///  spill    bits 0–2   entries of this home in the next bucket
///           bits 3–10  one bit per stash bucket that may hold entries of this home
///           bits 11–15 entries of this home in stash buckets; 31: more than can be counted
///  slot     bits 48–63 tag, bit 47 set, bits 44–46 generation of the keyspace when the entry was written,
///           bits 0–43 address in units of 8 bytes; 0: empty
/// </code>
/// A handle: copying it copies the address. Except for freq and the version itself, only the thread that holds the
/// bucket writes; others read between two equal versions without bit 0.
/// </remarks>
internal readonly unsafe struct Bucket : IEquatable<Bucket>
{
    public const int Size = 64;
    public const int SlotFirst = 1;
    public const int SlotLast = 7;
    public const int FrequencyMax = 3;

    // The bits by which a slot is matched: the tag, the bit of a used slot, and the generation.
    private const int TagShift = 44;
    private const int AnyGenerationShift = 47;
    private const int GenerationMask = 7;
    private const ulong AddressMask = (1UL << 44) - 1;
    private const uint SlotsMask = 0xFE;

    /// <summary>The increment of the version by a change.</summary>
    public const uint VersionStep = 4;

    private const uint Changing = 1;
    private const uint Readable = 2;
    private const uint HeldMask = Changing | Readable;

    private const int NeighbourMask = 7;
    private const int StashShift = 3;
    private const int StashMask = 0xFF;
    private const int StashCountShift = 11;
    private const int StashCountMax = 31;

    private readonly byte* _start;

    public Bucket(byte* start)
    {
        AddressCheck.InRange(start, Size);
        Debug.Assert(((nuint)start & (Size - 1)) == 0, "A bucket is one cache line.");
        _start = start;
    }

    /// <summary>The position in the order of locking.</summary>
    public nuint Order => (nuint)_start;

    public bool IsNull => _start is null;

    /// <summary>The index of this bucket in its page.</summary>
    public int IndexInPage => (int)((nuint)_start & (IndexPage.Size - 1)) / Size;

    public IndexPage Page => new((byte*)((nuint)_start & ~(nuint)(IndexPage.Size - 1)));

    /// <summary>Whether all entries of this home are in it.</summary>
    public bool HasNoSpill => Spill == 0;

    public int NeighbourCount => Spill & NeighbourMask;

    public int StashBuckets => (Spill >> StashShift) & StashMask;

    /// <summary>The buckets of the page that entries of this home may have spilled to, one bit for each.</summary>
    public ulong SpillBuckets => ((ulong)StashBuckets << IndexPage.HomeCount)
        | (NeighbourCount == 0 ? 0 : 1UL << IndexPage.NeighbourIndexOf(IndexInPage));

    public int StashCount => Spill >> StashCountShift;

    /// <summary>Whether a writer holds the bucket and keeps readers out.</summary>
    public bool IsChanging => (ReadVersion() & Changing) != 0;

    /// <summary>Whether there were more entries in the stash than can be counted.</summary>
    public bool IsStashCountSaturated => StashCount == StashCountMax;

    private ref uint Version => ref *(uint*)_start;

    private ref ushort Frequencies => ref *(ushort*)(_start + 4);

    private ref ushort Spill => ref *(ushort*)(_start + 6);

    /// <summary>The upper bits of a slot's word for a hash and a generation.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Four instructions, once an operation.
    public static ulong TagOf(ulong hash, int generation) => ((hash >> 12) & 0xFFFF0) | 8 | (uint)generation;

    public static ulong EntryOf(ulong tag, ulong address)
    {
        Debug.Assert(address <= AddressMask);
        return (tag << TagShift) | address;
    }

    public static ulong AddressOf(ulong entry) => entry & AddressMask;

    public static ulong TagOfEntry(ulong entry) => entry >> TagShift;

    /// <summary>The generation that an entry was written in.</summary>
    public static int GenerationOf(ulong entry) => (int)(entry >> TagShift) & GenerationMask;

    /// <summary>Whether two entries differ at most in the generation.</summary>
    public static bool AreSameButGeneration(ulong entry, ulong other) =>
        ((entry ^ other) & ~((ulong)GenerationMask << TagShift)) == 0;

    public static bool HasTag(ulong entry, ulong tag) => entry >> TagShift == tag;

    /// <summary>The version, before anything that is read later.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load; the hot path of every read.
    public uint ReadVersion() => Volatile.Read(ref Version);

    /// <summary>Whether the version is still the same, after everything that was read before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A load and a compare, at the end of each read.
    public bool IsAt(uint version)
    {
        Volatile.ReadBarrier();
        return VersionCheck.IsLeftOut || Version == version;
    }

    /// <summary>Whether a version is that of a held bucket, readable or not.</summary>
    public static bool IsHeld(uint version) => (version & HeldMask) != 0;

    /// <summary>The version of a bucket, without the bits of its holder.</summary>
    public static uint FreeVersionOf(uint version) => version & ~HeldMask;

    /// <summary>
    /// Locks the bucket if it is free. Of racing threads one wins; the others see a held or newer version.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One compare-exchange, in each write.
    public bool TryLock(out uint version)
    {
        version = Volatile.Read(ref Version);
        return TryLockAt(version);
    }

    /// <summary>Locks the bucket if it was free, and not locked since, when the version was read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The same.
    public bool TryLockAt(uint version) =>
        !IsHeld(version) && Interlocked.CompareExchange(ref Version, version + Changing, version) == version;

    /// <summary>Locks the bucket if it is free; others may read it until <see cref="BeginChange"/>.</summary>
    public bool TryLockReadable(out uint version)
    {
        version = Volatile.Read(ref Version);
        return !IsHeld(version)
            && Interlocked.CompareExchange(ref Version, version + Readable, version) == version;
    }

    /// <summary>Keeps readers away; a fence must follow before the first change.</summary>
    /// <remarks>version: The version at which the bucket was locked.</remarks>
    public void BeginChange(uint version)
    {
        Debug.Assert(Version == version + Readable, "Only the holder changes the state.");
        Volatile.Write(ref Version, version + Changing);
    }

    /// <summary>Lets others read the changes; the bucket stays locked, now at the next version.</summary>
    public void EndChange(uint version)
    {
        Debug.Assert(Version == version + Changing, "Only the holder changes the state.");
        Volatile.Write(ref Version, version + VersionStep + Readable);
    }

    /// <summary>Unlocks a readable bucket, which has this version already.</summary>
    public void UnlockReadable(uint version)
    {
        // As in Unlock.
        Debug.Assert(Version == version + Readable || (version == 0 && Version == 0), "Only the holder unlocks.");
        Volatile.Write(ref Version, version);
    }

    public uint Lock()
    {
        var wait = default(SpinWait);
        uint version;
        while (!TryLock(out version))
            wait.SpinOnce(sleep1Threshold: -1); // The holder runs a bounded step; sleeping would be longer.
        return version;
    }

    /// <summary>Unlocks with a new version if there was a change, else with the previous one.</summary>
    public void Unlock(uint version, bool changed)
    {
        // Version 0 is that of an unused page, whose memory a disposal may give back while a late writer holds it.
        Debug.Assert(Version == version + Changing || (version == 0 && Version == 0), "Only the holder unlocks.");
        Volatile.Write(ref Version, changed ? version + VersionStep : version);
    }

    /// <summary>Gives an unreachable bucket its first version.</summary>
    public void InitializeVersion(uint version) => Volatile.Write(ref Version, version);

    /// <summary>One bit per slot whose tag and generation are equal, at the slot's number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Makes the shift a constant.
    public uint Match(ulong tag) => Match(tag, TagShift);

    /// <summary>The same for any generation: for a guess.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The same.
    public uint MatchAnyGeneration(ulong hash) =>
        Match(TagOf(hash, 0) >> (AnyGenerationShift - TagShift), AnyGenerationShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Makes the shift a constant.
    private uint Match(ulong tag, int shift)
    {
        var words = (ulong*)_start;
        if (Vector512.IsHardwareAccelerated)
        {
            var tags = Vector512.Load(words) >>> shift;
            return (uint)Vector512.Equals(tags, Vector512.Create(tag)).ExtractMostSignificantBits() & SlotsMask;
        }

        if (Vector256.IsHardwareAccelerated)
        {
            var wanted = Vector256.Create(tag);
            uint low = Vector256.Equals(Vector256.Load(words) >>> shift, wanted).ExtractMostSignificantBits();
            uint high = Vector256.Equals(Vector256.Load(words + 4) >>> shift, wanted).ExtractMostSignificantBits();
            return (low | (high << 4)) & SlotsMask;
        }

        uint matches = 0;
        for (int slot = SlotFirst; slot <= SlotLast; slot++)
            matches |= (words[slot] >> shift == tag ? 1u : 0u) << slot;
        return matches;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
    public ulong EntryAt(int slot)
    {
        Debug.Assert(slot is >= SlotFirst and <= SlotLast);
        return Volatile.Read(ref ((ulong*)_start)[slot]);
    }

    /// <summary>Points a slot at a record; the caller holds the bucket.</summary>
    public void SetEntry(int slot, ulong entry)
    {
        Debug.Assert(slot is >= SlotFirst and <= SlotLast);
        Debug.Assert((Version & Changing) != 0, "Only a holder writes, and keeps readers away.");
        Volatile.Write(ref ((ulong*)_start)[slot], entry);
    }

    /// <summary>The first empty slot, or 0.</summary>
    public int FindEmptySlot() => FindEmptySlot(0);

    /// <summary>The first empty slot whose bit is not set in a mask, or 0.</summary>
    public int FindEmptySlot(uint reserved)
    {
        for (int slot = SlotFirst; slot <= SlotLast; slot++)
        {
            if (((ulong*)_start)[slot] == 0 && (reserved >> slot & 1) == 0)
                return slot;
        }

        return 0;
    }

    /// <summary>The number of empty slots; an estimate if the bucket is not locked.</summary>
    public int CountEmptySlots()
    {
        int count = 0;
        for (int slot = SlotFirst; slot <= SlotLast; slot++)
            count += EntryAt(slot) == 0 ? 1 : 0;
        return count;
    }

    /// <summary>Notes a use of a slot. No store once the slot is saturated, so that hot lines stay shared.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A load and a compare for a hot slot.
    public void Touch(int slot)
    {
        Debug.Assert(slot is >= SlotFirst and <= SlotLast);
        int shift = 2 * (slot - 1);
        uint frequencies = Frequencies;
        if (((frequencies >> shift) & FrequencyMax) != FrequencyMax)
            Frequencies = (ushort)(frequencies + (1u << shift));
    }

    public int FrequencyOf(int slot) => (Frequencies >> (2 * (slot - 1))) & FrequencyMax;

    public void SetFrequency(int slot, int frequency)
    {
        Debug.Assert(frequency is >= 0 and <= FrequencyMax);
        int shift = 2 * (slot - 1);
        Frequencies = (ushort)((Frequencies & ~(FrequencyMax << shift)) | (frequency << shift));
    }

    public void AddNeighbour(int count)
    {
        Debug.Assert((Version & Changing) != 0, "Only a holder writes, and keeps readers away.");
        Debug.Assert(NeighbourCount + count is >= 0 and <= NeighbourMask);
        Spill = (ushort)(Spill + count);
    }

    public void AddStash(int stash)
    {
        Debug.Assert(stash is >= 0 and < IndexPage.StashCount);
        int count = Math.Min(StashCountMax, (Spill >> StashCountShift) + 1);
        SetStash(count, StashBuckets | (1 << stash));
    }

    /// <summary>Forgets one entry in the stash; the bits of stash buckets are exact again when none is left.</summary>
    public void RemoveStash()
    {
        int count = Spill >> StashCountShift;
        Debug.Assert(count > 0);
        if (count < StashCountMax)
            SetStash(count - 1, count == 1 ? 0 : StashBuckets);
    }

    public void ClearSpill()
    {
        Debug.Assert((Version & Changing) != 0, "Only a holder writes, and keeps readers away.");
        Spill = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One instruction.
    public void Prefetch()
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(_start);
    }

    public bool Equals(Bucket other) => _start == other._start;

    public override bool Equals(object? obj) => obj is Bucket other && Equals(other);

    public override int GetHashCode() => BitOperations.RotateLeft((uint)(nuint)_start, 26).GetHashCode();

    private void SetStash(int count, int buckets)
    {
        Debug.Assert((Version & Changing) != 0, "Only a holder writes, and keeps readers away.");
        Debug.Assert(count is >= 0 and <= StashCountMax);
        Debug.Assert((buckets & ~StashMask) == 0);
        Spill = (ushort)(NeighbourCount | (buckets << StashShift) | (count << StashCountShift));
    }
}
