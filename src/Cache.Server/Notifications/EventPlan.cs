namespace Cache.Server.Notifications;

/// <summary>The events that a call of a command means by its changes of keys. Immutable.</summary>
/// <remarks>
/// The store tells what became of each key, so a call that changes nothing has no events; the plan has Redis's words.
/// </remarks>
/// <param name="Written">The key has a value afterwards; null: nothing is told.</param>
internal sealed record EventPlan(KeyEvent? Written)
{
    /// <summary>Nothing but removals.</summary>
    public static readonly EventPlan Nothing = new(Written: null);

    /// <summary>A second event of a write.</summary>
    public KeyEvent? Then { get; init; }

    /// <summary>The key has another expiry, or none.</summary>
    public KeyEvent? Expiry { get; init; }

    /// <summary>Comes before "del", if the last elements of a key were removed.</summary>
    public KeyEvent? BeforeRemoval { get; init; }

    /// <summary>What is told of a removal; null: nothing.</summary>
    public KeyEvent? Removed { get; init; } = KeyEvent.Deleted;

    /// <summary>Whether a key is told of once, though its elements are written in steps.</summary>
    public bool IsOnce { get; init; }

    /// <summary>The events of the other key of a command that moves something; null: it has one.</summary>
    public EventPlan? Source { get; init; }

    /// <summary>Whether the other key comes first.</summary>
    public bool IsSourceFirst { get; init; }

    /// <summary>Whether the first key is told of though nothing changed, if it is there.</summary>
    public bool IsInAnyCase { get; init; }

    /// <summary>Whether a key that comes replaces one that was removed before: it is new in any case.</summary>
    public bool IsAlwaysNew { get; init; }

    /// <summary>Whether it matters which key is the first.</summary>
    public bool NeedsFirst => Source is not null || IsInAnyCase;

    /// <summary>The same for elements of which the last may go.</summary>
    public static EventPlan OfElements(KeyEvent written) =>
        new(written) { BeforeRemoval = written, IsOnce = true };
}
