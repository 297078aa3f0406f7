using Cache.Core;
using Cache.Durability;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting.Configuration;

/// <summary>The results of the directives: options of the store, of the server, and of this program.</summary>
internal sealed class ProgramSettings(CacheOptions store, RespServerOptions server)
{
    // More than any real number of addresses, or of rules of one user.
    private const int ManyValues = 1024;

    private readonly Dictionary<string, List<Setting>> _byOption = [];

    // The values so far of directives whose lines add up.
    private readonly Dictionary<string, string> _merged = [];

    private readonly List<Setting> _foreign = [];

    // The options of refused settings: they have their defaults, about which there must be no error.
    private readonly HashSet<string?> _wrong = [];

    public CacheOptions Store { get; } = store;

    public RespServerOptions Server { get; } = server;

    /// <summary>
    /// The options of durability: existing files are loaded, and the directives decide what is written.
    /// </summary>
    public DurabilityOptions Durability { get; init; } = ToDefaults(new DurabilityOptions());

    /// <summary>The parent of the files' folder.</summary>
    public string Folder { get; set; } = "";

    /// <summary>The name of the files' folder.</summary>
    public string KeptFolder { get; set; } = "appendonlydir";

    /// <summary>
    /// The percentage of the store's limit that all clients may hold together; 0: the limit is given in bytes.
    /// </summary>
    public int ClientMemoryPercent { get; set; }

    /// <summary>The limits of all kinds of clients, in the form of client-output-buffer-limit.</summary>
    public string OutputLimits { get; set; } = Cache.Server.Settings.OutputLimits.Default;

    public LogLevel LogLevel { get; set; } = LogLevel.Information;

    /// <summary>Null: as the JSON file says, or text.</summary>
    public LogFormat? LogFormat { get; set; }

    /// <summary>The port of the dashboard and the metrics; 0: none.</summary>
    public int HttpPort { get; set; }

    /// <summary>Where that port listens.</summary>
    public IReadOnlyList<string> HttpBind { get; set; } = ["127.0.0.1"];

    /// <summary>Where the last setting of each directive was made.</summary>
    public Dictionary<string, string> Origins { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Settings that were accepted without an effect, with the reason if there is one to report.</summary>
    public SortedDictionary<string, string?> WithoutEffect { get; } = new(StringComparer.Ordinal);

    /// <summary>Settings that were ignored, since another program has set them.</summary>
    public IReadOnlyList<Setting> Foreign => _foreign;

    /// <summary>Sets the program's defaults of options.</summary>
    public static DurabilityOptions ToDefaults(DurabilityOptions options)
    {
        options.Mode = DurabilityMode.Snapshot;
        options.SavePoints = [];
        options.RefusesWritesOnError = true;
        return options;
    }

    /// <summary>Notes a setting that changes nothing here.</summary>
    public void Ignore(string name, string? reason) => WithoutEffect[name.ToLowerInvariant()] = reason;

    /// <summary>Keeps a value as it was written, for CONFIG GET.</summary>
    public void Keep(string name, string text) =>
        Server.KeptParameters = new Dictionary<string, string>(Server.KeptParameters, StringComparer.OrdinalIgnoreCase)
        {
            [name.ToLowerInvariant()] = text,
        };

    /// <summary>As the other, for a directive whose lines may add up.</summary>
    public void Keep(Directive directive, string text)
    {
        string name = directive.AliasOf ?? directive.Name;
        if (directive.Merge is { } merge)
            text = _merged[name] = merge(_merged.GetValueOrDefault(name, directive.Default), text);
        Keep(name, text);
    }

    /// <summary>Applies settings in order: of two for one directive the later counts, unless they add up.</summary>
    /// <exception cref="SettingException">Some are wrong, or exclude each other; it names all of them.</exception>
    public ProgramSettings Apply(IEnumerable<Setting> settings)
    {
        var problems = new List<string>();
        Apply(settings, problems);
        return problems.Count == 0 ? this : throw new SettingException(problems);
    }

    /// <summary>As <see cref="Apply(IEnumerable{Setting})"/>, but adds errors to the problems.</summary>
    public ProgramSettings Apply(IEnumerable<Setting> settings, List<string> problems)
    {
        foreach (var setting in settings)
        {
            if (Apply(setting) is not { } problem)
                continue;
            problems.Add(problem);
            _wrong.Add(DirectiveTable.Find(setting.Name)?.Option);
        }

        Durability.Directory = Path.Combine(Folder, KeptFolder);
        Durability.NeedsParent = Folder.Length > 0;
        if (ClientMemoryPercent > 0)
        {
            long bytes = (long)((Int128)Store.MemoryLimitBytes * ClientMemoryPercent / 100);
            Server.ClientMemoryLimit = Math.Max(RespServerOptions.BufferLimitMin, bytes);
        }

        bool hasTcp = Server.Port is not null || Server.TlsPort is not null;
        if (!hasTcp)
            Server.Bind = [];
        if (hasTcp || Server.UnixSocketPath is not null)
            AddProblemsOfOptions(problems);
        else if (!_wrong.Overlaps([nameof(Server.TlsPort), nameof(Server.UnixSocketPath)]))
        {
            problems.Add(
                "port is 0, and there is no tls-port and no unixsocket: nothing to listen on. Set one of them.");
        }

        return this;
    }

    /// <summary>Further obstacles to a start: unusable files, and addresses in use.</summary>
    public IEnumerable<string> FindStartProblems() => Told(Server.FindStartProblems());

    /// <summary>The error of a folder for files that does not exist; null if there is none.</summary>
    /// <remarks>A misspelt one would be made, and found without the files that are in the other.</remarks>
    public string? FindFolderProblem()
    {
        bool keepsFiles = Durability.Mode == DurabilityMode.Journal || Durability.SavePoints is { Count: > 0 };
        return Folder.Length == 0 || !keepsFiles || Directory.Exists(Folder)
            ? null
            : $"dir is '{Folder}', which is no folder. Make it, or name another one.";
    }

    /// <summary>A message in which options have the names that their sources use.</summary>
    public string InWordsOfSources(string message) => OptionWords.Replace(message, _byOption);

    private string? Apply(Setting setting)
    {
        if (setting.IsForeign)
        {
            _foreign.Add(setting);
            return null;
        }

        if (DirectiveTable.Find(setting.Name) is not { } directive)
            return DirectiveNames.Unknown(setting.Origin, setting.Name);
        try
        {
            Check(directive, setting);
            DirectiveSetters.Apply(directive, setting, this);
        }
        catch (SettingException e)
        {
            return e.Message;
        }

        Origins[directive.AliasOf ?? directive.Name] = setting.Origin;
        if (directive.Option is not { } option)
            return null;
        if (!directive.IsRepeated || !_byOption.TryGetValue(option, out var settings))
            _byOption[option] = settings = [];
        settings.Add(setting);
        return null;
    }

    private static void Check(Directive directive, Setting setting)
    {
        if (setting.Values.Count == 0)
            throw new SettingException($"{setting.Label} needs a value: {directive.Kind.Missing}.");
        if (setting.Values.Count > (directive.Kind.IsList ? ManyValues : 1))
            throw setting.Wrong(directive.Kind.IsList ? $"at most {ManyValues} values" : RuleOfOne(setting));
        if (directive.Kind.FindProblem(setting.Text) is not null)
            throw setting.Wrong(directive.Kind.Rule);
    }

    private static string RuleOfOne(Setting setting) => setting.Values.Any(static value => value.StartsWith('#'))
        ? "one value; a comment has a line of its own"
        : "one value; quote it if it has spaces";

    private void AddProblemsOfOptions(List<string> problems) =>
        problems.AddRange(Told([.. Server.FindProblems(), .. Store.FindProblems()]));

    private IEnumerable<string> Told(IReadOnlyList<string> problems) =>
        problems.Where(problem => !OptionNames.FindAll(problem).Any(_wrong.Contains)).Select(InWordsOfSources);
}
