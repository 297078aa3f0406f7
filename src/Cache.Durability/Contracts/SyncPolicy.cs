namespace Cache.Durability;

/// <summary>When what was written to the journal is made durable.</summary>
public enum SyncPolicy
{
    /// <summary>Each second: a loss of power loses two at most.</summary>
    EverySecond = 0,

    /// <summary>At once: whoever waits, see <see cref="CacheDurability.WaitAsync"/>, loses nothing.</summary>
    Always = 1,

    /// <summary>When the system pleases.</summary>
    No = 2,
}
