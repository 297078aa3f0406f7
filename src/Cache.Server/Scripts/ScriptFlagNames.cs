namespace Cache.Server.Scripts;

/// <summary>The names of <see cref="ScriptFlags"/>, in the order of their bits.</summary>
internal static class ScriptFlagNames
{
    public static IReadOnlyList<string> All { get; } =
        ["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"];
}
