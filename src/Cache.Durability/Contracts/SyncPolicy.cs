namespace Cache.Durability;

/// <summary>When written records of the journal are made durable.</summary>
public enum SyncPolicy
{
    /// <summary>Each second: a loss of power loses at most two seconds.</summary>
    EverySecond = 0,

    /// <summary>At once: a caller that waits with <see cref="CacheDurability.WaitAsync"/> loses nothing.</summary>
    Always = 1,

    /// <summary>Whenever the operating system writes them.</summary>
    No = 2,
}
