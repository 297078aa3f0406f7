using System.Globalization;
using Cache.Durability;
using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>The setters of the directives for durability; CONFIG shows each as it was given.</summary>
internal static class DurabilitySetters
{
    public static IReadOnlyDictionary<string, Action<Setting, string, ProgramSettings>> All { get; } =
        new Dictionary<string, Action<Setting, string, ProgramSettings>>
        {
            [DurabilityDirectives.AppendOnly] = static (_, value, to) =>
                to.Durability.Mode = value == "yes" ? DurabilityMode.Journal : DurabilityMode.Snapshot,
            ["appendfsync"] = Kept(static (value, to) => to.Durability.Sync = DurabilityDirectives.SyncOf(value)),
            [DurabilityDirectives.Folder] = Kept(static (value, to) => to.Folder = value),
            ["appenddirname"] = Kept(static (value, to) => to.KeptFolder = value),
            [DurabilityDirectives.Save] = SetSavePoints,
            ["auto-aof-rewrite-percentage"] = Kept(
                static (value, to) => to.Durability.JournalGrowthPercent = int.Parse(value, Culture)),
            ["auto-aof-rewrite-min-size"] = Kept(
                static (value, to) => to.Durability.JournalGrowthBytesMin = long.Parse(value, Culture)),
            ["snapshot-max-rate"] = Kept(
                static (value, to) => to.Durability.SnapshotBytesPerSecondMax = long.Parse(value, Culture)),
            ["rdbcompression"] = Kept(static (value, to) => to.Durability.CompressesSnapshots = value == "yes"),
            ["aof-load-truncated"] = Kept(static (value, to) => to.Durability.RefusesCutEnds = value == "no"),
            ["no-appendfsync-on-rewrite"] = Kept(static (_, _) => { }),
            ["stop-writes-on-bgsave-error"] = Kept(static (_, _) => { }),
            ["journal-on-error"] = Kept(
                static (value, to) => to.Durability.RefusesWritesOnError = value == "refuse"),
            ["journal-recover"] = Kept(static (value, to) => to.Durability.Recovery = value switch
            {
                "skip" => RecoveryMode.Skip,
                "force" => RecoveryMode.Force,
                _ => RecoveryMode.Strict,
            }),
            ["journal-shared-memory"] = Kept(
                static (value, to) => to.Durability.UsesSharedMemory = value == "yes"),
            ["load-max-age"] = Kept(static (value, to) => to.Durability.LoadMaxAge =
                value == "0" ? null : TimeSpan.FromSeconds(long.Parse(value, Culture))),
        };

    private static CultureInfo Culture => CultureInfo.InvariantCulture;

    private static Action<Setting, string, ProgramSettings> Kept(Action<string, ProgramSettings> set) =>
        (given, value, to) =>
        {
            set(value, to);
            to.Keep(given.Name, value);
        };

    private static void SetSavePoints(Setting given, string value, ProgramSettings to)
    {
        to.Keep(DirectiveTable.Find(given.Name)!, given.Text);
        to.Durability.SavePoints = DurabilityDirectives.SavePointsOf(to.Server.KeptParameters[given.Name]);
    }
}
