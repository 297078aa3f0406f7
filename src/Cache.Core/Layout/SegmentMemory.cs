using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The segments that records lie in, numbered in one reservation, and what is known of each.</summary>
/// <remarks>Segment 0 is never used, so that no record has the address 0.</remarks>
internal sealed unsafe class SegmentMemory : IDisposable
{
    /// <summary>The limit in segments: evicting one of them, or having one half empty, is then not felt.</summary>
    public const int PerLimit = 256;

    /// <summary>The least segment: a page, so that it can be given back to the system.</summary>
    public const int SizeMin = 4 << 10;

    /// <summary>The largest: a huge page; a longer one would only make each step of eviction longer.</summary>
    public const int SizeMax = 2 << 20;

    private const int PrefaultSteps = 4;

    private readonly NativeReservation _records;
    private readonly NativeReservation _infos;
    private readonly Prefault _prefault;
    private readonly SegmentInfo* _info;

    public SegmentMemory(int segmentSize, long lengthMin, long lengthWanted, bool hugePages)
    {
        SegmentSize = segmentSize;
        // Besides segment 0, a few that replace those which are full but not yet free.
        // Where several share a huge page, the system would fill those again that were given back, beside one in use.
        _records = new NativeReservation(
            lengthMin + 4L * segmentSize, lengthWanted, hugePages && segmentSize == SizeMax);
        _prefault = new Prefault(_records, segmentSize, lengthMin, PrefaultSteps);
        Count = (int)Math.Min(int.MaxValue, _records.Length / segmentSize);
        long infoLength = (long)Count * SegmentInfo.Size;
        _infos = new NativeReservation(infoLength, infoLength, hugePages: false);
        _info = (SegmentInfo*)_infos.Start;
        Space = new RecordSpace(_records.Start, segmentSize);
    }

    public int SegmentSize { get; }

    public int Count { get; }

    public RecordSpace Space { get; }

    public ref SegmentInfo this[int segment]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is one addition; each write has it.
        get
        {
            AddressCheck.InRange(_info + segment, SegmentInfo.Size);
            return ref _info[segment];
        }
    }

    /// <summary>Gives the memory of a free segment's first bytes back to the system.</summary>
    public void Discard(int segment, int length) => _ = _records.TryDiscard((long)segment * SegmentSize, length);

    /// <summary>The most bytes that are populated before they are used.</summary>
    public long AheadBytes => _prefault.Bytes;

    /// <summary>Makes the memory of unused segments resident soon, some of this many.</summary>
    public void Prefault(int firstSegment, long count) =>
        _prefault.Request((long)firstSegment * SegmentSize, count * SegmentSize);

    /// <summary>Asks for huge pages where they pay, or for small ones: when segments are shorter than that.</summary>
    public void UseHugePages(bool huge) => _records.UseHugePages(huge);

    /// <summary>
    /// Gives the memory of the records back. What is known of the segments stays: a late writer may still give back
    /// what it had been given.
    /// </summary>
    public void Dispose() => _records.Dispose();
}
