using Cache.Core;
using Cache.Hosting;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace StandaloneServer.Configuration;

/// <summary>What the directives set: options of the store, of the server, and this program's own.</summary>
internal sealed class ServerSettings(CacheOptions store, RespServerOptions server)
{
    private readonly Dictionary<string, List<Setting>> _byOption = [];

    private readonly List<Setting> _foreign = [];

    // The options of settings that were refused: they have their defaults, of which nobody speaks.
    private readonly HashSet<string?> _wrong = [];

    public CacheOptions Store { get; } = store;

    public RespServerOptions Server { get; } = server;

    /// <summary>How much of the store's limit all clients may hold together; 0: it is said in bytes.</summary>
    public int ClientMemoryPercent { get; set; }

    public LogLevel LogLevel { get; set; } = LogLevel.Information;

    /// <summary>Null: as the JSON file says, or text.</summary>
    public LogFormat? LogFormat { get; set; }

    /// <summary>What was taken without an effect, and why, where there is something to say.</summary>
    public SortedDictionary<string, string?> WithoutEffect { get; } = new(StringComparer.Ordinal);

    /// <summary>What was not taken, since it means something else.</summary>
    public IReadOnlyList<Setting> Foreign => _foreign;

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
        foreach (var setting in settings)
        {
            if (Apply(setting) is not { } problem)
                continue;
            problems.Add(problem);
            _wrong.Add(DirectiveTable.Find(setting.Name)?.Option);
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
            AddProblemsOfOptions(problems);
        else if (!_wrong.Overlaps([nameof(Server.TlsPort), nameof(Server.UnixSocketPath)]))
        {
            problems.Add(
                "port is 0, and there is no tls-port and no unixsocket: nothing to listen on. Set one of them.");
        }

        return this;
    }

    /// <summary>What would keep the server from starting besides: files, and addresses that are taken.</summary>
    public IEnumerable<string> FindStartProblems() => Told(Server.FindStartProblems());

    /// <summary>A message about options in the words of who set them.</summary>
    public string InWordsOfSources(string message) => OptionWords.Replace(message, _byOption);

    private string? Apply(Setting setting)
    {
        if (setting.IsForeign)
        {
            _foreign.Add(setting);
            return null;
        }

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

    private void AddProblemsOfOptions(List<string> problems) =>
        problems.AddRange(Told([.. Server.FindProblems(), .. Store.FindProblems()]));

    private IEnumerable<string> Told(IReadOnlyList<string> problems) =>
        problems.Where(problem => !OptionNames.FindAll(problem).Any(_wrong.Contains)).Select(InWordsOfSources);
}
