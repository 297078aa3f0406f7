using Microsoft.Extensions.Configuration;
using StandaloneServer;
using StandaloneServer.Configuration;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>The four sources beyond the defaults: what each gives, and which one wins.</summary>
public sealed class SourcesTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    [Fact]
    public void ReadSources_LaterSourcesWin()
    {
        string path = _files.Write("c.conf", "port 1\ntimeout 1\nmaxclients 1\ndatabases 1\n");
        var json = Json(("Cache:timeout", "2"), ("Cache:MaxClients", "2"), ("Cache:databases", "2"));
        var environment = new Dictionary<string, string> { ["CACHE_MAXCLIENTS"] = "3", ["cache_databases"] = "3" };
        var commandLine = Parse(path, "--databases", "4");
        var settings = new ServerSettings(new(), new())
            .Apply(StandaloneHost.ReadSources(commandLine, json, environment));
        var server = settings.Server;
        Assert.Equal((1, 2, 3), (server.Port, server.Timeout.TotalSeconds, server.MaxClients));
        Assert.Equal(4, settings.Store.KeyspaceCount);
    }

    [Fact]
    public void CommandLine_TakesEveryDirective()
    {
        foreach (var directive in DirectiveTable.All)
            Assert.Equal("x", Assert.Single(Parse($"--{directive.Name}", "x").Settings).Text);
    }

    [Theory]
    [InlineData("--bind", "127.0.0.1", "-::1")]
    [InlineData("--bind", "127.0.0.1 -::1")]
    [InlineData("--bind=127.0.0.1 -::1")]
    [InlineData("--bind", "127.0.0.1", "--bind", "-::1")]
    public void CommandLine_ListOfAddresses_IsTakenInEveryForm(params string[] arguments) =>
        Assert.Equal(["127.0.0.1", "-::1"], Assert.Single(Parse(arguments).Settings).Values);

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
    [InlineData("'b' is one word too many; there is one configuration file.", "a", "b")]
    [InlineData("Required argument missing for option: '--port'.", "--port")]
    public void CommandLine_Wrong_SaysWhatIsWrong(string message, params string[] arguments)
    {
        var refused = Assert.Throws<SettingException>(() => Parse(arguments));
        Assert.Equal($"command line: {message}", refused.Message);
    }

    [Fact]
    public void Json_ListAndText_AreBothAddresses()
    {
        var list = JsonSettings.Read(Json(("Cache:bind:0", "127.0.0.1"), ("Cache:bind:1", "::1")), "f.json");
        Assert.Equal(["127.0.0.1", "::1"], Assert.Single(list).Values);
        var text = JsonSettings.Read(Json(("Cache:bind", "127.0.0.1 ::1")), "f.json");
        Assert.Equal(["127.0.0.1", "::1"], Assert.Single(text).Values);
    }

    [Theory]
    [InlineData("maxmemory-policy")]
    [InlineData("MaxMemoryPolicy")]
    [InlineData("maxMemory_policy")]
    public void Json_Names_NeedNoHyphens(string name) =>
        Assert.Equal("maxmemory-policy", Assert.Single(JsonSettings.Read(Json(($"Cache:{name}", "x")), "f.json")).Name);

    [Fact]
    public void Json_Misspelt_IsNamedWithFileAndPath()
    {
        var json = Json(("Cache:prt", "1"));
        var refused = Assert.Throws<SettingException>(() => JsonSettings.Read(json, "f.json").Count());
        Assert.Equal("f.json, Cache:prt: there is no directive 'prt'; did you mean 'port'?", refused.Message);
    }

    [Fact]
    public void Environment_UnderscoresAreHyphens_OthersAreLeftAlone()
    {
        var settings = EnvironmentSettings.Read(new Dictionary<string, string>
        {
            ["CACHE_TCP_KEEPALIVE"] = "5",
            ["CACHE_TEST_SEED"] = "1",
            ["PORT"] = "1",
        });
        var setting = Assert.Single(settings);
        Assert.Equal(
            ("tcp-keepalive", "5", "environment variable CACHE_TCP_KEEPALIVE"),
            (setting.Name, setting.Text, setting.Origin));
    }

    [Fact]
    public void Environment_Misspelt_IsNamed()
    {
        var refused = Assert.Throws<SettingException>(
            () => EnvironmentSettings.Read(new Dictionary<string, string> { ["CACHE_MAX_MEMROY"] = "1" }).Count());
        Assert.Equal(
            "environment variable CACHE_MAX_MEMROY: there is no directive 'max-memroy'; did you mean 'maxmemory'?",
            refused.Message);
    }

    public void Dispose() => _files.Dispose();

    private static CommandLine Parse(params string[] arguments)
    {
        var commandLine = new CommandLine();
        Assert.True(commandLine.TryParse(arguments));
        return commandLine;
    }

    private static IConfigurationRoot Json(params (string Key, string Value)[] values) => new ConfigurationBuilder()
        .AddInMemoryCollection(values.Select(pair => KeyValuePair.Create(pair.Key, (string?)pair.Value)))
        .Build();
}
