namespace Cache.Durability.Journaling;

/// <summary>When what was written is made durable.</summary>
internal enum SyncPolicy
{
    /// <summary>Each second: a loss of power loses two at most.</summary>
    EverySecond,

    /// <summary>Before a write is acknowledged.</summary>
    Always,

    /// <summary>When the system pleases.</summary>
    No,
}
