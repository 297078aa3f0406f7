using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace StandaloneServer.Configuration;

/// <summary>What the directives set: options of the store, of the server, and this program's own.</summary>
internal sealed class ServerSettings(CacheOptions store, RespServerOptions server)
{
    private readonly Dictionary<string, List<Setting>> _byOption = [];

    public CacheOptions Store { get; } = store;

    public RespServerOptions Server { get; } = server;

    /// <summary>How much of the store's limit all clients may hold together; 0: it is said in bytes.</summary>
    public int ClientMemoryPercent { get; set; }

    public LogLevel LogLevel { get; set; } = LogLevel.Information;

    /// <summary>Null: as the JSON file says, or text.</summary>
    public LogFormat? LogFormat { get; set; }

    /// <summary>What was taken without an effect, and why, where there is something to say.</summary>
    public SortedDictionary<string, string?> WithoutEffect { get; } = new(StringComparer.Ordinal);

    /// <summary>Notes a setting that changes nothing here.</summary>
    public void Ignore(string name, string? reason) => WithoutEffect[name.ToLowerInvariant()] = reason;

    /// <summary>Keeps a parameter of Redis for who asks CONFIG GET for it.</summary>
    public void Keep(Setting given) =>
        Server.KeptParameters = new Dictionary<string, string>(Server.KeptParameters, StringComparer.OrdinalIgnoreCase)
        {
            [given.Name] = given.Text,
        };

    /// <summary>Applies settings in order: of two for one directive the later stays.</summary>
    /// <exception cref="SettingException">Some are wrong, or do not go together; it names all of them.</exception>
    public ServerSettings Apply(IEnumerable<Setting> settings)
    {
        var problems = new List<string>();
        Apply(settings, problems);
        return problems.Count == 0 ? this : throw new SettingException(problems);
    }

    /// <summary>As <see cref="Apply(IEnumerable{Setting})"/>; what is wrong is added to the problems.</summary>
    public ServerSettings Apply(IEnumerable<Setting> settings, List<string> problems)
    {
        var wrong = new HashSet<string?>();
        foreach (var setting in settings)
        {
            if (Apply(setting) is not { } problem)
                continue;
            problems.Add(problem);
            wrong.Add(DirectiveTable.Find(setting.Name)?.Option);
        }

        if (ClientMemoryPercent > 0)
        {
            long bytes = (long)((Int128)Store.MemoryLimitBytes * ClientMemoryPercent / 100);
            Server.ClientMemoryLimit = Math.Max(RespServerOptions.BufferLimitMin, bytes);
        }

        bool hasTcp = Server.Port is not null || Server.TlsPort is not null;
        if (!hasTcp)
            Server.Bind = [];
        if (hasTcp || Server.UnixSocketPath is not null)
            AddProblemsOfOptions(problems, wrong);
        else if (!wrong.Overlaps([nameof(Server.TlsPort), nameof(Server.UnixSocketPath)]))
        {
            problems.Add(
                "port is 0, and there is no tls-port and no unixsocket: nothing to listen on. Set one of them.");
        }

        return this;
    }

    /// <summary>A message about options in the words of who set them.</summary>
    public string InWordsOfSources(string message) => OptionWords.Replace(message, _byOption);

    private string? Apply(Setting setting)
    {
        if (DirectiveTable.Find(setting.Name) is not { } directive)
            return DirectiveTable.Unknown(setting.Origin, setting.Name);
        try
        {
            directive.Apply(setting, this);
        }
        catch (SettingException e)
        {
            return e.Message;
        }

        if (directive.Option is not { } option)
            return null;
        if (!directive.IsRepeated || !_byOption.TryGetValue(option, out var settings))
            _byOption[option] = settings = [];
        settings.Add(setting);
        return null;
    }

    // An option whose setting was refused has a default of which nobody speaks.
    private void AddProblemsOfOptions(List<string> problems, HashSet<string?> wrong)
    {
        foreach (string problem in (string[])[.. Server.FindProblems(), .. Store.FindProblems()])
        {
            if (!OptionWords.FindAll(problem).Any(wrong.Contains))
                problems.Add(InWordsOfSources(problem));
        }
    }
}
