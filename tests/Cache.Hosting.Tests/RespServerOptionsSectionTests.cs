using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Cache.Hosting.Tests;

public sealed class RespServerOptionsSectionTests
{
    [Fact]
    public void AddCacheServer_Section_SetsTheOptions()
    {
        var options = Read(new()
        {
            ["S:Port"] = "7401",
            ["S:Bind:0"] = "127.0.0.1",
            ["S:Bind:1"] = "::1",
            ["S:unixSocketPath"] = "/tmp/s",
            ["S:UnixSocketMode"] = "700",
            ["S:RequirePass"] = "secret",
            ["S:MaxClients"] = "5",
            ["S:Transport"] = "epoll",
            ["S:IoThreadCount"] = "3",
            ["S:Backlog"] = "6",
            ["S:Timeout"] = "90",
            ["S:TcpKeepAlive"] = "0:01:30",
            ["S:DrainTimeout"] = "1",
            ["S:InputBufferLimit"] = "2mb",
            ["S:OutputBufferLimit"] = "3000000",
            ["S:OutputStallTimeout"] = "4",
            ["S:TlsPort"] = "7402",
            ["S:TlsCertificateFile"] = "c.pem",
            ["S:TlsKeyFile"] = "k.pem",
            ["S:TlsKeyFilePassword"] = "p",
            ["S:TlsCaCertificateFile"] = "ca.pem",
            ["S:TlsClientAuthentication"] = "optional",
            ["S:TlsClientUsers:0"] = "spiffe://example/billing billing",
            ["S:TlsClientUsers:1"] = "urn:alice  alice",
            ["S:TlsProtocols"] = "tls13",
            ["S:TlsHandshakeTimeout"] = "7",
            ["S:Users:0"] = "alice on nopass",
            ["S:RenamedCommands:FLUSHALL"] = "",
            ["S:AclLogMaxLength"] = "7",
            ["S:ProtectedMode"] = "no",
            ["S:ReservedClients"] = "2",
            ["S:AcceptsPerSecond"] = "8",
            ["S:AuthenticationTimeout"] = "9",
            ["S:PartialRequestTimeout"] = "10",
            ["S:ClientMemoryLimit"] = "64mb",
            ["S:KeptParameters:hz"] = "10",
        });
        Assert.Equal(
            (7402, "c.pem", "k.pem", "p", "ca.pem"),
            (options.TlsPort, options.TlsCertificateFile, options.TlsKeyFile, options.TlsKeyFilePassword,
                options.TlsCaCertificateFile));
        Assert.Equal(
            (TlsClientAuthentication.Optional, SslProtocols.Tls13, 7),
            (options.TlsClientAuthentication, options.TlsProtocols, options.TlsHandshakeTimeout.TotalSeconds));
        Assert.Equal(
            new Dictionary<string, string> { ["spiffe://example/billing"] = "billing", ["urn:alice"] = "alice" },
            options.TlsClientUsers);
        Assert.Equal((7401, 5, 6), (options.Port, options.MaxClients, options.Backlog));
        Assert.Equal((RespTransport.Epoll, 3), (options.Transport, options.IoThreadCount));
        Assert.Equal(["127.0.0.1", "::1"], options.Bind);
        Assert.Equal(("/tmp/s", "secret"), (options.UnixSocketPath, options.RequirePass));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, options.UnixSocketMode);
        Assert.Equal((90, 90), (options.Timeout.TotalSeconds, options.TcpKeepAlive.TotalSeconds));
        Assert.Equal((1, 4), (options.DrainTimeout.TotalSeconds, options.OutputStallTimeout.TotalSeconds));
        Assert.Equal(["alice on nopass"], options.Users);
        Assert.Equal(new Dictionary<string, string> { ["FLUSHALL"] = "" }, options.RenamedCommands);
        Assert.Equal((7, false, 2), (options.AclLogMaxLength, options.ProtectedMode, options.ReservedClients));
        Assert.Equal((8, 64L << 20), (options.AcceptsPerSecond, options.ClientMemoryLimit));
        Assert.Equal(
            (9, 10), (options.AuthenticationTimeout.TotalSeconds, options.PartialRequestTimeout.TotalSeconds));
        Assert.Equal(new Dictionary<string, string> { ["hz"] = "10" }, options.KeptParameters);
        Assert.Equal((2 << 20, 3_000_000), (options.InputBufferLimit, options.OutputBufferLimit));
    }

    [Fact]
    public void AddCacheServer_TlsAloneFromAPfx_HasNoPlainPort()
    {
        var options = Read(new() { ["S:Port"] = "none", ["S:TlsPort"] = "7402", ["S:TlsPfxFile"] = "c.pfx" });
        Assert.Equal((null, 7402, "c.pfx"), (options.Port, options.TlsPort, options.TlsPfxFile));
    }

    [Theory]
    [InlineData("Tls11")]
    [InlineData("12288")]
    [InlineData("")]
    public void AddCacheServer_TlsProtocolsAreOthers_NamesTheTwo(string text)
    {
        var refused = Assert.Throws<OptionsValidationException>(() => Read(new() { ["S:TlsProtocols"] = text }));
        Assert.Equal($"S:TlsProtocols is '{text}'; it must be Tls12, Tls13 or both.", Assert.Single(refused.Failures));
    }

    [Theory]
    [InlineData("alice.example")]
    [InlineData("alice.example two words")]
    [InlineData("bob.example carol")]
    public void AddCacheServer_TlsClientUserIsNoPair_NamesIt(string line)
    {
        var refused = Assert.Throws<OptionsValidationException>(() => Read(new()
        {
            ["S:TlsClientUsers:0"] = "bob.example bob",
            ["S:TlsClientUsers:1"] = line,
        }));
        Assert.Equal(
            $"S:TlsClientUsers has '{line}'; it must be a name and a user with a space between, each name once.",
            Assert.Single(refused.Failures));
    }

    // All but what the program gives by itself.
    [Fact]
    public void Keys_AreTheProperties() => Assert.Equal(
        typeof(RespServerOptions).GetProperties().Select(static property => property.Name)
            .Except(
            [
                nameof(RespServerOptions.MessageWords), nameof(RespServerOptions.ShutdownRequested),
                nameof(RespServerOptions.Durability),
            ]).Order(),
        RespServerOptionsSection.Keys.Select(static key => key.Name).Order());

    [Fact]
    public void AddCacheServer_SectionIsWrong_NamesEachKey()
    {
        var refused = Assert.Throws<OptionsValidationException>(() => Read(new()
        {
            ["S:Port"] = "six",
            ["S:Prot"] = "1",
            ["S:Timeout"] = "soon",
            ["S:UnixSocketMode"] = "8",
            ["S:Transport"] = "1",
            ["S:Backlog:0"] = "1",
            ["S:MaxClients"] = "0",
        }));
        Assert.Equal(
            [
                "S:Backlog is a section; it must be an integer.",
                "S:MaxClients is 0; it must be between 1 and 1000000.",
                "S:Port is 'six'; it must be an integer, or none.",
                "S:Prot is not a key of RespServerOptions; did you mean Port?",
                "S:Timeout is 'soon'; it must be a number of seconds, or hours:minutes:seconds.",
                $"S:Transport is '1'; it must be one of {string.Join(", ", Enum.GetNames<RespTransport>())}.",
                "S:UnixSocketMode is '8'; it must be an octal number such as 700.",
            ],
            refused.Failures.Order(StringComparer.Ordinal));
    }

    // Everything at once, by the paths of the section: what is out of range, and what the machine does not allow.
    [Fact]
    public async Task Start_ManyProblems_AreToldAtOnceByTheirPaths()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;
        var values = new Dictionary<string, string?>
        {
            ["S:Port"] = $"{port}",
            ["S:AclFile"] = "/none/users.acl",
            ["S:TlsPort"] = "soon",
            ["S:TlsCertificateFile"] = "/none/c.pem",
            ["S:MaxClients"] = "0",
            ["Store:KeyspaceCount"] = "2000",
        };
        var refused = await FailToStartAsync(values);
        Assert.Equal(
            [
                "S:AclFile is '/none/users.acl'; it cannot be used: Error loading ACLs, opening file "
                + "'/none/users.acl': No such file or directory",
                "S:MaxClients is 0; it must be between 1 and 1000000.",
                $"S:Port is {port}; cannot listen on 127.0.0.1:{port}: another process listens there already. "
                + "Stop it, or choose another port or address.",
                "S:TlsPort is 'soon'; it must be an integer, or none.",
                "Store:KeyspaceCount is 2000; it must be between 1 and 16.",
            ],
            refused.Order(StringComparer.Ordinal));

        values["Store:KeyspaceCount"] = values["S:MaxClients"] = "1";
        values.Remove("S:TlsPort");
        Assert.Equal(2, (await FailToStartAsync(values)).Count);
    }

    // The log speaks of the section too, long after the start.
    [Fact]
    public void MessageWords_OfASection_AreItsPaths()
    {
        var options = Read(new() { ["S:TlsKeyFile"] = "k.pem" });
        Assert.Equal(
            "S:TlsKeyFile is 'RespServerOptions.TlsKeyFile'; see RespServerOptions.TlsKeyFilePassword.",
            options.MessageWords!(
                "RespServerOptions.TlsKeyFile is 'RespServerOptions.TlsKeyFile'; "
                + "see RespServerOptions.TlsKeyFilePassword."));
    }

    private static async Task<List<string>> FailToStartAsync(Dictionary<string, string?> values)
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(values).Build();
        using var host = TestHost.Build(services => services
            .AddCacheStore(configuration.GetSection("Store")).AddCacheServer(configuration.GetSection("S")));
        var error = await Assert.ThrowsAnyAsync<Exception>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        var all = error is AggregateException many ? many.Flatten().InnerExceptions : [error];
        return [.. all.SelectMany(static one =>
            one is OptionsValidationException refused ? refused.Failures : one.Message.Split('\n'))];
    }

    private static RespServerOptions Read(Dictionary<string, string?> values)
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(values).Build();
        using var host = TestHost.Build(services => services.AddCacheServer(configuration.GetSection("S")));
        return host.Services.GetRequiredService<IOptions<RespServerOptions>>().Value;
    }
}
