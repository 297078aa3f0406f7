namespace Cache.Core;

/// <summary>
/// The options of a write: expiry and condition. The default: unconditional, never expiring.
/// </summary>
public readonly record struct EntryOptions
{
    /// <summary>
    /// When the entry expires, in Unix milliseconds of the store's clock (<see cref="CacheStore.NowMs"/>).
    /// </summary>
    /// <remarks>
    /// 0: never. With a moment in the past nothing is stored, and a present entry is removed.
    /// </remarks>
    public long ExpiresAtMs { get; init; }

    /// <summary>
    /// When the entry expires by the wall clock, in Unix milliseconds; 0: never. Honoured even if that clock is set
    /// later, within a hundredth of a second.
    /// </summary>
    /// <remarks>
    /// If <see cref="ExpiresAtMs"/> is set too, the one that is earlier at the time of the write counts.
    /// </remarks>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>
    /// The entry expires after this many milliseconds without a read, and at the latest at the moment above; 0: none.
    /// </summary>
    /// <remarks>
    /// A read renews the interval once 1/128 of it has passed since it was renewed, so it may end so much earlier. One
    /// shorter than 1.3 seconds is renewed by each read.
    /// </remarks>
    public long SlidingMs { get; init; }

    /// <summary>
    /// Whether the replaced entry's expiry stays; if there is such an entry, the other members are ignored.
    /// </summary>
    public bool KeepTtl { get; init; }

    /// <summary>The condition of the write.</summary>
    public SetCondition Condition { get; init; }

    /// <summary>Whether a new entry belongs to the main list: it was there before a restart.</summary>
    internal bool IsMain { get; init; }

    /// <summary>The uses that a new entry begins with, up to 3: those before a restart.</summary>
    internal byte UseCount { get; init; }

    /// <summary>Whether the value is to have an expiry.</summary>
    internal bool Expires => (ExpiresAtMs | ExpiresAtUnixMs | SlidingMs) != 0;

    /// <summary>Whether that is one moment, whatever the replaced entry has.</summary>
    internal bool HasOneDeadline => ExpiresAtMs == 0 != (ExpiresAtUnixMs == 0) && SlidingMs == 0 && !KeepTtl;

    /// <summary>Whether an entry that is there may get the value in place.</summary>
    internal bool AllowsOverwrite => Condition != SetCondition.IfAbsent;

    /// <summary>Whether the write does not depend on the replaced entry.</summary>
    internal bool ReplacesAll => Condition == SetCondition.Always && !KeepTtl;
}

/// <summary>How fields of a hash are set.</summary>
public readonly record struct FieldOptions
{
    /// <summary>Whether all of the fields must be absent, or all present.</summary>
    public SetCondition Condition { get; init; }

    /// <summary>When they expire, in Unix milliseconds of the wall clock; 0: never.</summary>
    /// <remarks>At most <see cref="HashKey.LastExpiryUnixMs"/>. If it has passed, they are removed.</remarks>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>Whether a field that is there keeps its expiry; then no other may be given.</summary>
    public bool KeepsExpiry { get; init; }
}
