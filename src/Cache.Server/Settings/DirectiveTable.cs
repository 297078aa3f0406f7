using System.Collections.Frozen;

namespace Cache.Server.Settings;

/// <summary>
/// All directives: for the configuration file, JSON, the environment, the command line and its help, CONFIG, the
/// options' bounds, and docs/settings.md.
/// </summary>
internal static class DirectiveTable
{
    public const string PubSubDefault = "acl-pubsub-default";
    public const string AllChannels = "allchannels";
    public const string ProtectedConfigs = "enable-protected-configs";

    private static readonly FrozenDictionary<string, Directive> _byName;
    private static readonly FrozenDictionary<string, Directive> _byOption;

    static DirectiveTable()
    {
        All =
        [
            .. OwnDirectives.All, .. TlsDirectives.All, .. DurabilityDirectives.All, .. MeasuringDirectives.All,
            .. ClusterDirectives.All, .. RefusingDirectives.All, .. KeptDirectives.All,
        ];
        Meaningful = [.. All.Where(static one => one.HasMeaning)];
        WithoutMeaning = [.. All.Where(static one => !one.HasMeaning)];
        _byName = All.ToFrozenDictionary(static one => one.Name, StringComparer.OrdinalIgnoreCase);
        _byOption = All.Where(static one => one.Option is not null)
            .ToFrozenDictionary(static one => one.Option!, StringComparer.Ordinal);
    }

    public static IReadOnlyList<Directive> All { get; }

    /// <summary>The directives that have an effect here, or are refused because they have one in Redis.</summary>
    public static IReadOnlyList<Directive> Meaningful { get; }

    /// <summary>The directives of Redis without an effect here: they are accepted, kept and shown.</summary>
    public static IReadOnlyList<Directive> WithoutMeaning { get; }

    /// <summary>The directive of a name, in any case of letters; null if there is none.</summary>
    public static Directive? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>The directive that sets an option of the store or of the server; null if none does.</summary>
    public static Directive? FindByOption(string option) => _byOption.GetValueOrDefault(option);
}
