namespace Cache.Server.Settings;

/// <summary>Reads and changes the minimum level of the log, by Redis's names of levels.</summary>
/// <param name="Read">The name of the present level.</param>
/// <param name="Write">Makes a level the present one.</param>
internal sealed record LogLevelControl(Func<string> Read, Action<string> Write);
