using System.Runtime.Versioning;
using Cache.Hosting.Configuration;
using Cache.Server.Settings;
using Microsoft.Extensions.Configuration;
using Cache.Tool.Standalone;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>The four sources beyond the defaults: what each gives, and which one wins.</summary>
public sealed class SourcesTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly List<string> _problems = [];

    [Fact]
    public void ReadSources_LaterSourcesWin()
    {
        string path = _files.Write("c.conf", "port 1\ntimeout 1\nmaxclients 1\ndatabases 1\n");
        var json = Json(("Cache:timeout", "2"), ("Cache:MaxClients", "2"), ("Cache:databases", "2"));
        var environment = new Dictionary<string, string> { ["CACHE_MAXCLIENTS"] = "3", ["cache_databases"] = "3" };
        var commandLine = Parse(path, "--databases", "4");
        var settings = new ProgramSettings(new(), new())
            .Apply(StandaloneHost.ReadSources(commandLine, json, environment, _problems));
        var server = settings.Server;
        Assert.Equal((1, 2, 3), (server.Port, server.Timeout.TotalSeconds, server.MaxClients));
        Assert.Equal(4, settings.Store.KeyspaceCount);
        Assert.Empty(_problems);
    }

    // For an emergency: who cannot change the configuration, or the unit that starts the server, can add a file.
    [Fact]
    public void ReadSources_OverridesWinOverAll_ThatInDirLast()
    {
        string path = _files.Write("c.conf", "maxclients 1\ntimeout 1\n");
        string dir = Directory.CreateDirectory(Path.Combine(Path.GetDirectoryName(path)!, "dir")).FullName;
        _files.Write("overrides.conf", "maxclients 2\ntimeout 2\n");
        File.WriteAllText(Path.Combine(dir, "overrides.conf"), "timeout 3\n");
        var commandLine = Parse(path, "--maxclients", "4", "--timeout", "4", "--databases", "4", "--dir", dir);

        var given = StandaloneHost.ReadSources(commandLine, Json(), new Dictionary<string, string>(), _problems);
        var settings = new ProgramSettings(new(), new()).Apply(given);

        Assert.Equal((2, 3), (settings.Server.MaxClients, settings.Server.Timeout.TotalSeconds));
        Assert.Equal(4, settings.Store.KeyspaceCount);
        Assert.Equal(
            ["maxclients", "timeout", "timeout"],
            given.Where(static one => one.IsOverride).Select(static one => one.Name));
        Assert.EndsWith("overrides.conf, line 1", settings.Origins["timeout"]);
        Assert.Empty(_problems);
    }

    // Who may make a file there could else turn off the password.
    [Theory]
    [InlineData(UnixFileMode.GroupWrite)]
    [InlineData(UnixFileMode.OtherWrite)]
    [UnsupportedOSPlatform("windows")]
    public void ReadSources_OverridesThatOthersMayWrite_AreRefused(UnixFileMode more)
    {
        string path = _files.Write("c.conf", "maxclients 1\n");
        string overrides = _files.Write("overrides.conf", "maxclients 2\n");
        File.SetUnixFileMode(overrides, UnixFileMode.UserRead | UnixFileMode.UserWrite | more);

        var given = StandaloneHost.ReadSources(Parse(path), Json(), new Dictionary<string, string>(), _problems);

        Assert.Contains("may be written by others than its owner", Assert.Single(_problems));
        Assert.DoesNotContain(given, static one => one.IsOverride);
    }

    // As Kubernetes makes the folder of a volume (fsGroup).
    [Fact]
    [UnsupportedOSPlatform("windows")]
    public void ReadSources_OverridesInAFolderOfAGroup_AreTakenFromTheOwnUserAlone()
    {
        string path = _files.Write("c.conf", "maxclients 1\n");
        string overrides = _files.Write("overrides.conf", "maxclients 2\n");
        File.SetUnixFileMode(
            Path.GetDirectoryName(path)!, File.GetUnixFileMode(Path.GetDirectoryName(path)!) | UnixFileMode.GroupWrite);
        Assert.Equal(1, CountOverrides(path));
        Assert.Empty(_problems);

        string elsewhere = _files.Write("elsewhere.conf", "maxclients 2\n");
        File.Delete(overrides);
        File.CreateSymbolicLink(overrides, elsewhere);
        Assert.Equal(0, CountOverrides(path));
        Assert.Contains("the file must be no link", Assert.Single(_problems));
        _problems.Clear();

        File.Delete(overrides);
        _files.Write("overrides.conf", "maxclients 2\n");
        File.SetUnixFileMode(
            Path.GetDirectoryName(path)!, File.GetUnixFileMode(Path.GetDirectoryName(path)!) | UnixFileMode.OtherWrite);
        Assert.Equal(0, CountOverrides(path));
        Assert.Contains("may be written by others than its owner", Assert.Single(_problems));
    }

    private int CountOverrides(string path) =>
        StandaloneHost.ReadSources(Parse(path), Json(), new Dictionary<string, string>(), _problems)
            .Count(static one => one.IsOverride);

    [Fact]
    public void ReadSources_WithoutOverrides_HasNone()
    {
        string path = _files.Write("c.conf", "maxclients 1\n");

        var given = StandaloneHost.ReadSources(Parse(path), Json(), new Dictionary<string, string>(), _problems);

        Assert.DoesNotContain(given, static one => one.IsOverride);
    }

    // Its user does not know the file of the program that a tool's command runs.
    [Fact]
    public void CommandLine_Help_NamesTheCommandAsItWasTyped()
    {
        using var output = new StringWriter();
        var commandLine = new CommandLine { CalledAs = "cache server", Output = output };

        Assert.False(commandLine.TryParse(["--help"]));
        Assert.Contains("  cache server [<config-file>] [options]", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("--maxmemory", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void CommandLine_TakesEveryDirective()
    {
        foreach (var directive in (Directive[])[.. DirectiveTable.All, .. DirectiveTable.WithoutMeaning])
            Assert.Equal("x", Assert.Single(Parse($"--{directive.Name}", "x").Settings).Text);
    }

    [Theory]
    [InlineData("--bind", "127.0.0.1", "-::1")]
    [InlineData("--bind", "127.0.0.1 -::1")]
    [InlineData("--bind=127.0.0.1 -::1")]
    public void CommandLine_ListOfAddresses_IsTakenInEveryForm(params string[] arguments) =>
        Assert.Equal(["127.0.0.1", "-::1"], Assert.Single(Parse(arguments).Settings).Values);

    [Fact]
    public void CommandLine_RepeatedDirectives_AreALineEach()
    {
        var settings = Parse(
            "--user", "alice on", "--bind", "127.0.0.1", "::1", "--user", "bob", "off", "--rename-command", "GET", "G",
            "--port", "1", "--bind", "-::1", "--rename-command", "FLUSHALL \"\"", "--port", "2").Settings;
        Assert.Equal(
            [
                "user alice|on", "bind 127.0.0.1|::1", "user bob|off", "rename-command GET|G", "port 1", "bind -::1",
                "rename-command FLUSHALL|", "port 2",
            ],
            settings.Select(static setting => $"{setting.Name} {string.Join('|', setting.Values)}"));
    }

    // As Redis takes them: two users and two names, but the later of two ports and of two lists of addresses.
    [Fact]
    public void CommandLine_RepeatedDirectives_HaveTheMeaningOfRedis()
    {
        var server = new ProgramSettings(new(), new()).Apply(Parse(
            "--user", "alice on", "--user", "bob off", "--rename-command", "GET", "G", "--rename-command", "SET", "",
            "--port", "1", "--port", "2", "--bind", "127.0.0.1", "--bind", "-::1").Settings).Server;
        Assert.Equal(["alice on", "bob off"], server.Users);
        Assert.Equal(new Dictionary<string, string> { ["GET"] = "G", ["SET"] = "" }, server.RenamedCommands);
        Assert.Equal(2, server.Port);
        Assert.Equal(["-::1"], server.Bind);
    }

    [Theory]
    [InlineData("@file")]
    [InlineData("--dashes")]
    [InlineData("two words")]
    [InlineData("")]
    public void CommandLine_Password_IsTakenAsItStands(string password) =>
        Assert.Equal([password], Assert.Single(Parse("--requirepass", password).Settings).Values);

    [Theory]
    [InlineData("there is no directive '--prot'; did you mean '--port'?", "--prot", "1")]
    [InlineData("there is no directive '--prot'; did you mean '--port'?", "c.conf", "--prot=1")]
    [InlineData("there is no option '-z'; --help lists all directives.", "-z")]
    [InlineData("'b' is one word too many; there is one configuration file.", "a", "b")]
    [InlineData("--port needs a value: an integer between 0 and 65535.", "--port")]
    [InlineData("--port needs a value: an integer between 0 and 65535.", "--port", "1", "--port")]
    [InlineData("--config-json needs a value: path.", "--config-json")]
    [InlineData("--port needs a value: an integer between 0 and 65535.", "--port", "--maxmemory", "64mb")]
    [InlineData("--bind needs a value: addresses.", "c.conf", "--bind", "--port", "1")]
    public void CommandLine_Wrong_SaysWhatIsWrong(string message, params string[] arguments)
    {
        var commandLine = new CommandLine();
        Assert.True(commandLine.TryParse(arguments));
        Assert.Equal([$"command line: {message}"], commandLine.Problems);
    }

    [Fact]
    public void Sources_AllWrong_AreToldAtOnceInTheWordsOfTheirWriters()
    {
        string path = _files.Write("c.conf", "Port x\nrequirepass 'y\ntls-port 7001\nmaxmemroy 1mb\n");
        var json = Json(("Cache:Timeout", "soon"), ("Cache:bnd", "1"));
        var environment = new Dictionary<string, string> { ["CACHE_MAXCLIENTS"] = "0", ["CACHE_TCP_KEPALIVE"] = "1" };
        var commandLine = new CommandLine();
        commandLine.TryParse([path, "--user", "alice on +nope", "--user", "bob on", "--databases", "-1", "--prt", "1"]);
        new ProgramSettings(new(), new()).Apply(
            StandaloneHost.ReadSources(commandLine, json, environment, _problems), _problems);
        Assert.Equal(
            [
                "appsettings.json, Cache:Timeout is 'soon'; it must be an integer between 0 and 2147483647.",
                "appsettings.json, Cache:bnd: there is no directive 'bnd'; did you mean 'bind'?",
                "c.conf, line 1: Port is 'x'; it must be an integer between 0 and 65535.",
                "c.conf, line 2: a quote is not closed, or not followed by a space.",
                "c.conf, line 4: there is no directive 'maxmemroy'; did you mean 'maxmemory'?",
                "command line: --databases is '-1'; it must be an integer between 1 and 16.",
                "command line: --user has the user 'alice': Error in applying operation '+nope': "
                + "Unknown command or category name in ACL.",
                "command line: there is no directive '--prt'; did you mean '--port'?",
                "environment variable CACHE_MAXCLIENTS is '0'; it must be an integer between 1 and 1000000.",
                "environment variable CACHE_TCP_KEPALIVE: there is no directive 'tcp-kepalive'; "
                + "did you mean 'tcp-keepalive'?",
                "tls-cert-file is not given; it or tls-pfx-file is needed for a tls-port (c.conf, line 3: "
                + "tls-port).",
            ],
            _problems.Select(problem => problem.Replace(path, "c.conf", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("port")]
    [InlineData("MaxMemory")]
    public void Json_DirectiveOutsideTheSection_IsToldOfAFileThatWasNamed(string name)
    {
        Assert.Empty(JsonSettings.Read(Json((name, "1")), "f.json", _problems, isNamed: true));
        Assert.Equal(
            [
                $"f.json: '{name}' stands outside the section 'Cache' and would not be read; "
                + $"write {{ \"Cache\": {{ \"{name}\": … }} }}.",
            ],
            _problems);
    }

    [Fact]
    public void Json_DirectiveOutsideTheSection_OfAFileThatWasFound_IsAnotherPrograms()
    {
        Assert.Empty(JsonSettings.Read(Json(("port", "1")), "appsettings.json", _problems));
        Assert.Empty(_problems);
    }

    [Fact]
    public void Json_ListAndText_AreBothAddresses()
    {
        var list = JsonSettings.Read(Json(("Cache:bind:0", "127.0.0.1"), ("Cache:bind:1", "::1")), "f.json", _problems);
        Assert.Equal(["127.0.0.1", "::1"], Assert.Single(list).Values);
        var text = JsonSettings.Read(Json(("Cache:bind", "127.0.0.1 ::1")), "f.json", _problems);
        Assert.Equal(["127.0.0.1", "::1"], Assert.Single(text).Values);
    }

    [Theory]
    [InlineData("maxmemory-policy")]
    [InlineData("MaxMemoryPolicy")]
    [InlineData("maxMemory_policy")]
    public void Json_Names_NeedNoHyphens(string name) =>
        Assert.Equal(
            "maxmemory-policy",
            Assert.Single(JsonSettings.Read(Json(($"Cache:{name}", "x")), "f.json", _problems)).Name);

    [Theory]
    [InlineData("Cache:Port is an object; it must be a value: an integer between 0 and 65535.", "Cache:Port:a", "1")]
    [InlineData("Cache:bind is an object; it must be a value or a list of them: addresses.", "Cache:bind:0:a", "1")]
    public void Json_ObjectInPlaceOfAValue_IsRefused(string problem, string key, string value)
    {
        Assert.Empty(JsonSettings.Read(Json((key, value)), "f.json", _problems));
        Assert.Equal([$"f.json, {problem}"], _problems);
    }

    [Theory]
    [InlineData("protected-mode", "False", "no")]
    [InlineData("TlsAuthClients", "True", "yes")]
    [InlineData("appendonly", "False", "no")]
    [InlineData("requirepass", "True", "True")]
    public void Json_Boolean_IsYesOrNoWhereTheDirectiveTakesThem(string name, string value, string text) =>
        Assert.Equal(text, Assert.Single(JsonSettings.Read(Json(($"Cache:{name}", value)), "f.json", _problems)).Text);

    // What is not read would go unnoticed.
    [Theory]
    [InlineData("Cahce:Port", "1", "f.json: there is no section 'Cahce'; did you mean 'Cache'?")]
    [InlineData("Caches:Port", "1", "f.json: there is no section 'Caches'; did you mean 'Cache'?")]
    [InlineData("Cache", "port 1", "f.json, Cache is 'port 1'; it must be an object, such as { \"port\": 6379 }.")]
    [InlineData("cache", null, null)]
    [InlineData("Caching:Port", "1", null)]
    [InlineData("Logging:Port", "1", null)]
    public void Json_SectionThatIsNone_IsNamed(string key, string? value, string? problem)
    {
        Assert.Empty(JsonSettings.Read(Json((key, value!)), "f.json", _problems));
        Assert.Equal(problem is null ? [] : [problem], _problems);
    }

    [Fact]
    public void Json_ListOfARepeatedDirective_IsALineEach()
    {
        var settings = JsonSettings.Read(
            Json(("Cache:user:0", "alice on"), ("Cache:user:1", "bob off")), "f.json", _problems);
        Assert.Equal(["alice on", "bob off"], settings.Select(static setting => setting.Text));
    }

    // The second is the option's name in code, which sections of other hosts have.
    [Theory]
    [InlineData("prt", "port")]
    [InlineData("MemoryLimitBytes", "maxmemory")]
    public void Json_Misspelt_IsNamedWithFileAndPath(string name, string meant)
    {
        Assert.Empty(JsonSettings.Read(Json(($"Cache:{name}", "1")), "f.json", _problems));
        Assert.Equal([$"f.json, Cache:{name}: there is no directive '{name}'; did you mean '{meant}'?"], _problems);
    }

    [Fact]
    public void Environment_UnderscoresAreHyphens_OthersAreLeftAlone()
    {
        var settings = EnvironmentSettings.Read(new Dictionary<string, string>
        {
            ["CACHE_TCP_KEEPALIVE"] = "5",
            ["CACHE_TEST_SEED"] = "1",
            ["PORT"] = "1",
        }, _problems);
        var setting = Assert.Single(settings);
        Assert.Equal(
            ("tcp-keepalive", "5", "environment variable CACHE_TCP_KEEPALIVE"),
            (setting.Name, setting.Text, setting.Label));
        Assert.Empty(_problems);
    }

    [Fact]
    public void Environment_Misspelt_IsNamed()
    {
        var variables = new Dictionary<string, string> { ["CACHE_MAX_MEMROY"] = "1" };
        Assert.Empty(EnvironmentSettings.Read(variables, _problems));
        Assert.Equal(
            ["environment variable CACHE_MAX_MEMROY: there is no directive 'max-memroy'; did you mean 'maxmemory'?"],
            _problems);
    }

    // As a service named "cache" puts them into every container of its namespace, and other programs theirs.
    [Fact]
    public void Environment_OfOtherPrograms_IsLeftAlone()
    {
        var variables = new Dictionary<string, string>
        {
            ["CACHE_SERVICE_HOST"] = "10.0.0.1",
            ["CACHE_SERVICE_PORT"] = "6379",
            ["CACHE_SERVICE_PORT_REDIS"] = "6379",
            ["CACHE_PORT"] = "tcp://10.0.0.1:6379",
            ["CACHE_PORT_6379_TCP"] = "tcp://10.0.0.1:6379",
            ["CACHE_PORT_6379_TCP_PROTO"] = "tcp",
            ["CACHE_HOST"] = "redis.example",
            ["CACHE_SIZE"] = "5",
            ["CACHE_NAME"] = "x",
            ["CACHE_ID"] = "y",
            ["CACHE_DRIVER"] = "redis",
        };
        var settings = new ProgramSettings(new(), new()).Apply(EnvironmentSettings.Read(variables, _problems));
        Assert.Empty(_problems);
        Assert.Equal(6379, settings.Server.Port);
        Assert.Equal("environment variable CACHE_PORT", Assert.Single(settings.Foreign).Label);
    }

    public void Dispose() => _files.Dispose();

    private static CommandLine Parse(params string[] arguments)
    {
        var commandLine = new CommandLine();
        Assert.True(commandLine.TryParse(arguments));
        Assert.Empty(commandLine.Problems);
        return commandLine;
    }

    private static IConfigurationRoot Json(params (string Key, string Value)[] values) => new ConfigurationBuilder()
        .AddInMemoryCollection(values.Select(pair => KeyValuePair.Create(pair.Key, (string?)pair.Value)))
        .Build();
}
