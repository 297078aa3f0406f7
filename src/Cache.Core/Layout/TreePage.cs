using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>A page of a tree: its header, and what leaves and inner pages have in common.</summary>
/// <remarks>
/// <code>
///  0       2      4         6        7       8       12      16                                  grains × 512
///  ├───────┼──────┼─────────┼────────┼───────┼───────┼───────┼── ··· ──┬── ··· ──────┬── ··· ──────────────┤
///  │ count │ heap │ garbage │ grains │ level │ epoch │ owner │ slots ► │    free     │ ◄ entries           │
///  └───────┴──────┴─────────┴────────┴───────┴───────┴───────┴── ··· ──┴── ··· ──────┴── ··· ──────────────┘
///  heap     where the entries begin; garbage: bytes of them that no slot points at
///  level    bits 0–4: 0 for a leaf; bits 5–7: of a leaf whose entries may be stubs, the code of its order
///  epoch    when the page was made: those before the last snapshot belong to it, and are copied before a change
///  owner    the collection, for who moves pages
/// </code>
/// A handle: copying it copies the address. Who holds the collection writes; for readers everything is garbage until
/// the collection's version proves it valid. They reach no further than a page's length, a slot's offset and an entry's
/// lengths can say, which is less than a reservation has behind its end.
/// </remarks>
internal readonly unsafe struct TreePage
{
    public const int GrainSize = 512;

    /// <summary>The grains of the longest page.</summary>
    public const int GrainsMax = 8;

    public const int SizeMax = GrainsMax * GrainSize;

    public const int HeaderSize = 16;

    /// <summary>
    /// As many as 32 bits of elements need if each page has two children: with separators so long that three fit.
    /// </summary>
    public const int LevelsMax = 32;

    private const int LevelMask = LevelsMax - 1;
    private const int StubShift = 5;

    public TreePage(byte* start)
    {
        AddressCheck.InRange(start, SizeMax);
        Debug.Assert(((nuint)start & (GrainSize - 1)) == 0, "Pages begin at multiples of 512.");
        Start = start;
    }

    public byte* Start { get; }

    public int Count
    {
        get => *(ushort*)Start;
        set
        {
            Debug.Assert(value is >= 0 and <= SizeMax);
            *(ushort*)Start = (ushort)value;
        }
    }

    /// <summary>Where the entries begin.</summary>
    public int HeapStart
    {
        get => *(ushort*)(Start + 2);
        set
        {
            Debug.Assert(value >= HeaderSize && value <= Length);
            *(ushort*)(Start + 2) = (ushort)value;
        }
    }

    /// <summary>Bytes behind it that no slot points at.</summary>
    public int Garbage
    {
        get => *(ushort*)(Start + 4);
        set
        {
            Debug.Assert(value >= 0 && value <= Length - HeapStart);
            *(ushort*)(Start + 4) = (ushort)value;
        }
    }

    public int Grains => Start[6];

    public int Length => Grains * GrainSize;

    /// <summary>The distance to the leaves.</summary>
    public int Level => Start[7] & LevelMask;

    public bool IsLeaf => Level == 0;

    /// <summary>Whether an entry of the leaf may be a stub: the bytes are elsewhere, and to be freed.</summary>
    public bool MayHaveStubs => StubCode != 0;

    /// <summary>The order of a leaf that may have stubs (<see cref="ITreeOrder.Code"/>), else 0.</summary>
    public int StubCode
    {
        get => Start[7] >> StubShift;
        set
        {
            Debug.Assert(IsLeaf);
            Debug.Assert(value is > 0 and < 1 << (8 - StubShift));
            Start[7] = (byte)(Level | value << StubShift);
        }
    }

    public uint Epoch
    {
        get => *(uint*)(Start + 8);
        set
        {
            AddressCheck.InRange(Start, HeaderSize);
            *(uint*)(Start + 8) = value;
        }
    }

    public uint Owner
    {
        get => *(uint*)(Start + 12);
        set
        {
            AddressCheck.InRange(Start, HeaderSize);
            *(uint*)(Start + 12) = value;
        }
    }

    /// <summary>The grains of a page for so many bytes behind the header.</summary>
    public static int GrainsFor(int bytes)
    {
        Debug.Assert(bytes is >= 0 and <= SizeMax - HeaderSize);
        return (HeaderSize + bytes + GrainSize - 1) / GrainSize;
    }

    /// <summary>Makes it an empty page; the caller has just taken it.</summary>
    public void Initialize(int grains, int level, uint epoch, uint owner)
    {
        Debug.Assert(grains is >= 1 and <= GrainsMax);
        Debug.Assert(level is >= 0 and < LevelsMax);
        Start[6] = (byte)grains;
        Start[7] = (byte)level;
        Count = 0;
        HeapStart = grains * GrainSize;
        Garbage = 0;
        Epoch = epoch;
        Owner = owner;
    }

    /// <summary>Copies the whole page to another of its length.</summary>
    public void CopyTo(TreePage other)
    {
        Debug.Assert(Length is > 0 and <= SizeMax);
        AddressCheck.InRange(other.Start, Length);
        Buffer.MemoryCopy(Start, other.Start, Length, Length);
    }

    /// <summary>An entry's parts, whatever is there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the spans in registers.
    public TreeEntry EntryAt(int offset, bool hasValue)
    {
        var name = PartAt(ref offset, out bool isNameStub, out _);
        if (!hasValue)
            return new TreeEntry(name, default, isNameStub, false);
        var value = PartAt(ref offset, out bool isValueStub, out long moment);
        return new TreeEntry(name, value, isNameStub, isValueStub, moment);
    }

    /// <summary>What an entry is ordered by; nothing at offset 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Once or a few times for each search.
    public ReadOnlySpan<byte> NameAt(int offset)
    {
        if (offset == 0)
            return default;
        ReadOnlySpan<byte> name = PartAt(ref offset, out bool isStub, out _);
        return isStub ? NameStub.OrderedPartOf(name) : name;
    }

    /// <summary>Writes an entry before the others.</summary>
    /// <returns>Its offset.</returns>
    public int WriteEntry(in TreeEntry entry, bool hasValue)
    {
        int offset = HeapStart - entry.SizeOf(hasValue);
        Debug.Assert(offset >= HeaderSize, "The caller has made sure that it fits.");
        AddressCheck.InRange(Start + offset, HeapStart - offset);
        HeapStart = offset;
        int end = WritePart(offset, entry.Name, entry.IsNameStub);
        if (hasValue)
            WriteValue(end, in entry);
        return offset;
    }

    /// <summary>Copies an entry of another page, before the others.</summary>
    /// <returns>Its offset; 0 for that of nothing.</returns>
    public int CopyEntry(TreePage source, int offset, bool hasValue)
    {
        if (offset == 0)
            return 0;
        int size = EntrySizeAt(source.Start + offset, hasValue);
        HeapStart -= size;
        Debug.Assert(offset + size <= source.Length);
        AddressCheck.InRange(Start + HeapStart, size);
        Buffer.MemoryCopy(source.Start + offset, Start + HeapStart, size, size);
        return HeapStart;
    }

    /// <summary>Removes an entry that no slot points at any more.</summary>
    public void DropEntry(int offset, bool hasValue)
    {
        if (offset == 0)
            return;
        int size = EntryAt(offset, hasValue).SizeOf(hasValue);
        Debug.Assert(offset >= HeapStart);
        if (offset == HeapStart)
            HeapStart += size; // What came last goes without a trace.
        else
            Garbage += size;
    }

    /// <summary>Writes an entry over one that takes as many bytes.</summary>
    public void RewriteEntry(int offset, in TreeEntry entry, bool hasValue)
    {
        Debug.Assert(offset >= HeapStart);
        Debug.Assert(EntryAt(offset, hasValue).SizeOf(hasValue) == entry.SizeOf(hasValue));
        int end = WritePart(offset, entry.Name, entry.IsNameStub);
        if (hasValue)
            WriteValue(end, in entry);
    }

    /// <summary>Makes the value of the entry that lies before the others longer; there is room.</summary>
    /// <returns>The value, whose new bytes are its last ones and undefined.</returns>
    public Span<byte> GrowFirst(int by)
    {
        int offset = HeapStart;
        var entry = EntryAt(offset, hasValue: true);
        Debug.Assert(by > 0 && !entry.HasStub && entry.Moment == 0);
        int former = entry.Value.Length, length = former + by;
        Debug.Assert(entry.Name.Length + length <= TreeEntry.LengthMax);
        int formerSize = entry.SizeOf(hasValue: true), lengthSize = length < TreeEntry.LongFlag ? 1 : 2;
        int size = TreeEntry.SizeOfPart(entry.Name, isStub: false) + lengthSize + length;
        HeapStart = offset + formerSize - size;
        AddressCheck.InRange(Start + HeapStart, size);
        byte* at = Start + HeapStart + size - length; // The value's, which ends where it ended.
        int nameSize = size - lengthSize - length;
        Buffer.MemoryCopy(Start + offset, Start + HeapStart, nameSize, nameSize);
        if (lengthSize == 2)
            at[-2] = (byte)(TreeEntry.LongFlag | length >> 8);
        at[-1] = (byte)length;
        Buffer.MemoryCopy(Start + offset + formerSize - former, at, former, former);
        return new Span<byte>(at, length);
    }

    /// <summary>Moves the entries together, so that all free bytes are in one place.</summary>
    /// <param name="offsets">Where the slots have their entries' offsets.</param>
    /// <param name="stride">The distance between two of them.</param>
    /// <param name="hasValue">Whether entries have a value.</param>
    [SkipLocalsInit]
    public void Compact(byte* offsets, int stride, bool hasValue)
    {
        byte* bytes = stackalloc byte[SizeMax];
        Debug.Assert(Length is > 0 and <= SizeMax);
        Buffer.MemoryCopy(Start, bytes, SizeMax, Length);
        Garbage = 0;
        HeapStart = Length;
        for (int i = Count; i > 0; i--, offsets += stride)
        {
            int offset = *(ushort*)offsets;
            if (offset == 0)
                continue;
            int size = EntrySizeAt(bytes + offset, hasValue);
            HeapStart -= size;
            AddressCheck.InRange(Start + HeapStart, size);
            Buffer.MemoryCopy(bytes + offset, Start + HeapStart, size, size);
            *(ushort*)offsets = (ushort)HeapStart;
        }
    }

    private static int EntrySizeAt(byte* entry, bool hasValue)
    {
        int size = PartSizeAt(entry);
        return hasValue ? size + PartSizeAt(entry + size) : size;
    }

    private static int PartSizeAt(byte* part) => *part < TreeEntry.LongFlag
        ? 1 + *part
        : 2 + ((*part & TreeEntry.UpperMask) << 8 | part[1])
            + ((*part & TreeEntry.MomentFlag) == 0 ? 0 : TreeEntry.MomentSize);

    // A garbage offset and length end in the reservation or its tail, and are no longer than an element can be.
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the span in registers.
    private Span<byte> PartAt(scoped ref int offset, out bool isStub, out long moment)
    {
        byte* at = Start + offset;
        int length = *at++;
        isStub = false;
        moment = 0;
        if (length >= TreeEntry.LongFlag)
        {
            isStub = (length & TreeEntry.StubFlag) != 0;
            bool hasMoment = (length & TreeEntry.MomentFlag) != 0;
            length = Math.Min((length & TreeEntry.UpperMask) << 8 | *at++, TreeEntry.LengthMax);
            if (hasMoment)
            {
                AddressCheck.InRange(at, TreeEntry.MomentSize);
                moment = Unsafe.ReadUnaligned<long>(at);
                at += TreeEntry.MomentSize;
            }
        }

        AddressCheck.InRange(at, length);
        offset = (int)(at - Start) + length;
        return new Span<byte>(at, length);
    }

    private void WriteValue(int offset, in TreeEntry entry)
    {
        if (entry.Moment == 0)
        {
            WritePart(offset, entry.Value, entry.IsValueStub);
            return;
        }

        Debug.Assert(entry.Value.Length <= TreeEntry.LengthMax);
        AddressCheck.InRange(Start + offset, entry.SizeOfValue);
        byte* at = Start + offset;
        int flags = TreeEntry.LongFlag | TreeEntry.MomentFlag | (entry.IsValueStub ? TreeEntry.StubFlag : 0);
        *at++ = (byte)(flags | entry.Value.Length >> 8);
        *at++ = (byte)entry.Value.Length;
        Unsafe.WriteUnaligned(at, entry.Moment);
        entry.Value.CopyTo(new Span<byte>(at + TreeEntry.MomentSize, entry.Value.Length));
    }

    private int WritePart(int offset, ReadOnlySpan<byte> bytes, bool isStub)
    {
        Debug.Assert(bytes.Length <= TreeEntry.LengthMax);
        AddressCheck.InRange(Start + offset, TreeEntry.SizeOfPart(bytes, isStub));
        byte* at = Start + offset;
        if (isStub || bytes.Length >= TreeEntry.LongFlag)
            *at++ = (byte)(TreeEntry.LongFlag | (isStub ? TreeEntry.StubFlag : 0) | bytes.Length >> 8);
        *at++ = (byte)bytes.Length;
        bytes.CopyTo(new Span<byte>(at, bytes.Length));
        return (int)(at - Start) + bytes.Length;
    }
}
