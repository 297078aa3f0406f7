namespace Cache.Core.Sharding;

/// <summary>
/// Where a scan stands: a position of the hash's upper 32 bits, and a home bucket of the page that is there.
/// </summary>
/// <remarks>
/// <code>
///  bits 0–5  home bucket    bits 6–11  depth of the page    bits 12–43  position
/// </code>
/// Pages are visited in the order of their positions. A page's depth is the number of position bits that chose it:
/// if it is another one than when the cursor was handed out, the page was split, and is visited from its first
/// bucket; so is the rest of the former page, since it comes next. A key keeps its position and its home for ever, so
/// one that stays is met. 44 bits leave a client that takes cursors for doubles some room.
/// </remarks>
internal readonly struct ScanCursor(uint position, int depth, int home)
{
    private const int DepthShift = 6;
    private const int PositionShift = 12;
    private const int PositionBits = 32;

    public uint Position { get; } = position;

    public int Depth { get; } = depth;

    public int Home { get; } = home;

    public ulong Word => ((ulong)Position << PositionShift) | ((ulong)Depth << DepthShift) | (uint)Home;

    /// <summary>Whether a word is behind all cursors that there are, as that of SCAN -1.</summary>
    public static bool IsBehindAll(ulong word) => word >> (PositionShift + PositionBits) != 0;

    // A stranger's cursor may be anything: what it does not mean is cut off.
    public static ScanCursor Of(ulong word) => new(
        (uint)(word >> PositionShift), (int)(word >> DepthShift) & 0x3F, (int)word & 0x3F);
}
