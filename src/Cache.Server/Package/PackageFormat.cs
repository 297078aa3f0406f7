namespace Cache.Server.Package;

/// <summary>What writer and reader of a package agree on.</summary>
internal static class PackageFormat
{
    /// <summary>The value of "format" in the manifest.</summary>
    public const string Name = "cache-package";

    /// <summary>The version of the parts that this program writes, and the latest that it reads.</summary>
    public const int Version = 1;

    public const string ManifestName = "manifest.json";

    /// <summary>The part that the rules of the doctor look at.</summary>
    public const string FiguresName = "figures.json";

    public const string SecondsName = "history-seconds.csv";
    public const string TensName = "history-tens.csv";
    public const string SlowLogName = "slowlog.json";
    public const string KeysName = "keys.json";
    public const string EventsName = "events.json";

    /// <summary>
    /// No package is larger: what a mail takes. The bounds of the parts keep to it without compression.
    /// </summary>
    public const int BytesMax = 20 << 20;

    /// <summary>The most parts of a package that is read.</summary>
    public const int PartsMax = 64;
}
