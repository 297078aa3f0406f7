namespace Cache.Server.Scripts;

/// <summary>What a script says of itself in its first line, or a function when it is registered.</summary>
[Flags]
internal enum ScriptFlags
{
    None = 0,
    NoWrites = 1,
    AllowOom = 2,
    AllowStale = 4,
    NoCluster = 8,
    AllowCrossSlotKeys = 16,
}
