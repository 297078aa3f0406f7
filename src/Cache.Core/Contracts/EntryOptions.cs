namespace Cache.Core;

/// <summary>
/// How an entry is written: when it expires, and under which condition. The default: always, never expiring.
/// </summary>
public readonly record struct EntryOptions
{
    /// <summary>
    /// When the entry expires, in Unix milliseconds of the store's clock (<see cref="CacheStore.NowMs"/>).
    /// </summary>
    /// <remarks>
    /// 0: never. A moment that has passed stores nothing, and removes what was there.
    /// </remarks>
    public long ExpiresAtMs { get; init; }

    /// <summary>
    /// When the entry expires by the wall clock, in Unix milliseconds; 0: never. It follows that clock also when it is
    /// set afterwards, within a hundredth of a second.
    /// </summary>
    /// <remarks>Beside <see cref="ExpiresAtMs"/>, the one of the two that is the earlier at the write counts.</remarks>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>
    /// The entry expires after this many milliseconds without a read, at the moment above at the latest; 0: none.
    /// </summary>
    public long SlidingMs { get; init; }

    /// <summary>
    /// Whether the expiry of the entry that is replaced stays; the others are then ignored if there is one.
    /// </summary>
    public bool KeepTtl { get; init; }

    /// <summary>When the write takes place.</summary>
    public SetCondition Condition { get; init; }

    /// <summary>Whether an entry without an expiry may get the value, and nothing else, in this way.</summary>
    internal bool AllowsOverwrite =>
        ExpiresAtMs == 0 && ExpiresAtUnixMs == 0 && SlidingMs == 0 && Condition != SetCondition.IfAbsent;

    /// <summary>Whether nothing of the entry that is replaced is asked for.</summary>
    internal bool ReplacesAll => Condition == SetCondition.Always && !KeepTtl;
}
