using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Whose rights a client has by its certificate.</summary>
public sealed class TlsClientUserTests : IDisposable
{
    private const string NoAuth = "-NOAUTH Authentication required.\r\n";
    private const string WhoAmI = "ACL WHOAMI\r\n";
    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task DnsName_OfTheMap_IsTheUserAtOnce(RespTransport transport)
    {
        await using var server = await StartAsync(transport, ("alice.example", "alice"));
        using var certificate = _certificates.MakeClient("Alice.Example");

        // From the second time on, the session may be a resumed one.
        foreach (var version in (SslProtocols[])
            [SslProtocols.Tls12, SslProtocols.Tls12, SslProtocols.Tls13, SslProtocols.Tls13])
        {
            using var client = await server.ConnectAsync(certificate, version);
            await client.ExpectAsync(WhoAmI, "$5\r\nalice\r\n");
        }
    }

    [Fact]
    public async Task Rights_OfTheUser_HoldFromTheFirstRequest()
    {
        await using var server = await StartAsync(("alice.example", "alice"));
        using var certificate = _certificates.MakeClient("alice.example");
        using var client = await server.ConnectAsync(certificate);

        await client.ExpectAsync(
            "SET app:1 v\r\nGET app:1\r\nGET app:1\r\nGET other\r\n",
            "-NOPERM this user has no permissions to run the 'set' command\r\n$-1\r\n$-1\r\n"
            + "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n");
    }

    [Fact]
    public async Task Thumbprint_OfTheMap_GoesBeforeANameOfTheCertificate()
    {
        using var certificate = _certificates.MakeClient("alice.example");
        string thumbprint = certificate.GetCertHashString(HashAlgorithmName.SHA256).ToLowerInvariant();
        await using var server = await StartAsync(("alice.example", "alice"), ($"sha256:{thumbprint}", "bob"));

        using var client = await server.ConnectAsync(certificate);
        await client.ExpectAsync(WhoAmI, "$3\r\nbob\r\n");
        using var other = _certificates.MakeClient("alice.example");
        using var otherClient = await server.ConnectAsync(other);
        await otherClient.ExpectAsync(WhoAmI, "$5\r\nalice\r\n");
    }

    [Fact]
    public async Task SeveralNames_OfTheMap_TheFirstOfTheCertificateCounts()
    {
        await using var server = await StartAsync(
            ("alice@example", "alice"), ("spiffe://example/bob", "bob"), ("carol.example", "carol"));
        using var email = _certificates.MakeClient(names =>
        {
            names.AddDnsName("nobody.example");
            names.AddEmailAddress("alice@example");
            names.AddUri(new Uri("spiffe://example/bob"));
        });
        using var uri = _certificates.MakeClient(names =>
        {
            names.AddUri(new Uri("spiffe://example/bob"));
            names.AddEmailAddress("alice@example");
        });

        using var alice = await server.ConnectAsync(email);
        await alice.ExpectAsync(WhoAmI, "$5\r\nalice\r\n");
        using var bob = await server.ConnectAsync(uri);
        await bob.ExpectAsync(WhoAmI, "$3\r\nbob\r\n");
    }

    [Fact]
    public async Task Name_OfAnotherKindOrOnlyAlike_IsNot()
    {
        await using var server = await StartAsync(("alice.example", "alice"), ("bob@example", "bob"));
        foreach (var addNames in new Action<SubjectAlternativeNameBuilder>[]
        {
            names => names.AddEmailAddress("alice.example"),
            names => names.AddDnsName("bob@example"),
            names => names.AddEmailAddress("Bob@example"),
            names => names.AddDnsName("www.alice.example"),
            names => names.AddDnsName("*.example"),
            names => names.AddDnsName("alice.example.org"),
        })
        {
            using var certificate = _certificates.MakeClient(addNames);
            using var client = await server.ConnectAsync(certificate);
            await client.ExpectAsync(WhoAmI, NoAuth);
        }
    }

    [Fact]
    public async Task Unmapped_IsTheDefaultUser_AndMayAuthenticate()
    {
        await using var server = await StartAsync(("alice.example", "alice"));
        using var certificate = _certificates.MakeClient("dave.example");
        using var with = await server.ConnectAsync(certificate);
        using var without = await server.ConnectAsync();

        foreach (var client in (TlsClient[])[with, without])
        {
            await client.ExpectAsync(WhoAmI, NoAuth);
            await client.ExpectAsync("AUTH secret\r\n", "+OK\r\n");
            await client.ExpectAsync(WhoAmI, "$7\r\ndefault\r\n");
        }

        await with.ExpectAsync("CONFIG SET requirepass \"\"\r\n", "+OK\r\n");
        using var open = await server.ConnectAsync(certificate);
        await open.ExpectAsync(WhoAmI, "$7\r\ndefault\r\n");
    }

    [Theory]
    [InlineData("ACL SETUSER alice off\r\n", "+OK\r\n")]
    [InlineData("ACL DELUSER alice\r\n", ":1\r\n")]
    public async Task User_OffOrDeleted_IsNotTaken_AndToldOnce(string change, string reply)
    {
        using var log = new MessageLog();
        await using var server = await StartAsync(
            RespTransport.Portable, [("alice.example", "alice")], new FakeTimeProvider(), log);
        using var certificate = _certificates.MakeClient("alice.example");
        using var administrator = await server.ConnectAsync();
        await administrator.ExpectAsync("AUTH secret\r\n", "+OK\r\n");
        await administrator.ExpectAsync(change, reply);

        for (int i = 0; i < 2; i++)
        {
            using var client = await server.ConnectAsync(certificate);
            await client.ExpectAsync(WhoAmI, NoAuth);
        }

        Assert.Single(log.Messages, static line => line.Contains(
            "showed a certificate whose user does not exist or is off", StringComparison.Ordinal));
        await administrator.ExpectAsync(
            "ACL LOG\r\n",
            "*1\r\n*14\r\n$5\r\ncount\r\n:2\r\n$6\r\nreason\r\n$8\r\ntls-cert\r\n$7\r\ncontext\r\n$8\r\ntoplevel\r\n"
            + "$6\r\nobject\r\n$13\r\nalice.example\r\n$8\r\nusername\r\n$5\r\nalice\r\n");
        Assert.Equal(2, server.Server.State.Limits[ConnectionLimit.CertificateUser]);
    }

    [Fact]
    public async Task User_TurnedOnAgain_IsTakenByTheNextConnection()
    {
        await using var server = await StartAsync(("erin.example", "erin"));
        using var certificate = _certificates.MakeClient("erin.example");
        using var administrator = await server.ConnectAsync(certificate);
        await administrator.ExpectAsync(WhoAmI, NoAuth);
        await administrator.ExpectAsync("AUTH secret\r\n", "+OK\r\n");
        await administrator.ExpectAsync("ACL SETUSER erin on +@all\r\n", "+OK\r\n");

        using var client = await server.ConnectAsync(certificate);
        await client.ExpectAsync(WhoAmI, "$4\r\nerin\r\n");
        await administrator.ExpectAsync("ACL DELUSER erin\r\n", ":1\r\n");
        await Assert.ThrowsAsync<IOException>(async () =>
        {
            Assert.Equal("", await client.ReadToEndAsync());
            throw new IOException("It was closed.");
        });
    }

    [Fact]
    public async Task Auth_AndReset_ChangeTheUserAndBringItBack()
    {
        await using var server = await StartAsync(("alice.example", "alice"));
        using var certificate = _certificates.MakeClient("alice.example");
        using var client = await server.ConnectAsync(certificate);

        await client.ExpectAsync(
            "AUTH bob wrong\r\n", "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
        await client.ExpectAsync(WhoAmI, "$5\r\nalice\r\n");
        await client.ExpectAsync("AUTH bob bobs\r\n", "+OK\r\n");
        await client.ExpectAsync(WhoAmI, "$3\r\nbob\r\n");
        await client.ExpectAsync("RESET\r\n", "+RESET\r\n");
        await client.ExpectAsync(WhoAmI, "$5\r\nalice\r\n");
    }

    [Fact]
    public async Task Certificate_OfAnotherAuthority_IsRefusedWhateverItsName()
    {
        await using var server = await StartAsync(("alice.example", "alice"));
        using var stranger = TestCertificates.MakeStranger("alice.example");

        var error = await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            using var client = await server.ConnectAsync(stranger);
            await client.SendAsync(WhoAmI);
            Assert.Equal("", await client.ReadToEndAsync());
            throw new IOException("It was closed.");
        });
        Assert.True(error is IOException or AuthenticationException, error.ToString());
    }

    private Task<TlsServer> StartAsync(params (string Name, string User)[] map) =>
        StartAsync(RespTransport.Portable, map);

    private Task<TlsServer> StartAsync(RespTransport transport, params (string Name, string User)[] map) =>
        StartAsync(transport, map, clock: null, log: null);

    // The default user has a password, so that a client without a user of its own may do nothing.
    private Task<TlsServer> StartAsync(
        RespTransport transport, (string Name, string User)[] map, TimeProvider? clock, MessageLog? log) =>
        TlsServer.StartAsync(
            _certificates,
            transport,
            options =>
            {
                options.RequirePass = "secret";
                options.TlsClientAuthentication = TlsClientAuthentication.Optional;
                options.Users =
                [
                    "alice on ~app:* +get +acl|whoami +auth +reset", "bob on >bobs +@all", "carol on +@all",
                ];
                options.TlsClientUsers = map.ToDictionary(static pair => pair.Name, static pair => pair.User);
            },
            clock,
            log);
}
