namespace Cache.Server.Commands;

/// <summary>A value that was checked: what to do to make it the present one, or why it cannot be.</summary>
/// <param name="Apply">Makes it the present value.</param>
/// <param name="Problem">The reason, in Redis's words; null: none.</param>
internal readonly record struct ConfigChange(Action<ServerState>? Apply, string? Problem)
{
    public static ConfigChange To(Action<ServerState> apply) => new(apply, null);

    public static ConfigChange Refused(string problem) => new(null, problem);
}
