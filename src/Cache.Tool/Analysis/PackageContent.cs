namespace Cache.Tool.Analysis;

/// <summary>A package whose parts are as its manifest says.</summary>
/// <param name="ServerVersion">The version of the server that made it.</param>
/// <param name="MadeAt">When it was made, by the server's clock.</param>
/// <param name="Uptime">How long the server had run.</param>
/// <param name="Keys">What it tells of keys: hash, prefix or plain.</param>
/// <param name="Parts">The bytes of its parts by their names.</param>
internal sealed record PackageContent(
    string ServerVersion,
    DateTimeOffset MadeAt,
    TimeSpan Uptime,
    string Keys,
    IReadOnlyDictionary<string, byte[]> Parts);
