using Cache.Core;
using Cache.Server;

namespace Cache.Conformance.Tests;

/// <summary>A server on a port of the loopback interface that the system chooses, over a store of its own.</summary>
internal sealed class ServerFixture : IAsyncDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 256 << 20 });
    private readonly ServerCertificate? _certificate;

    private ServerFixture(RespServerOptions options, ServerCertificate? certificate)
    {
        _certificate = certificate;
        Server = new RespServer(_store, options);
    }

    public RespServer Server { get; }

    /// <summary>The doors that this system has.</summary>
    public static TheoryData<ServerDoor> Doors { get; } = [.. Enum.GetValues<ServerDoor>().Where(IsOffered)];

    /// <summary>Those of them without TLS.</summary>
    public static TheoryData<ServerDoor> PlainDoors { get; } =
        [.. Enum.GetValues<ServerDoor>().Where(static door => IsOffered(door) && !IsTls(door))];

    public static async Task<ServerFixture> StartAsync(ServerDoor door, RespServerOptions? options = null)
    {
        options ??= new RespServerOptions();
        options.Port = 0;
        options.Transport = TransportOf(door);
        var certificate = IsTls(door) ? new ServerCertificate() : null;
        if (certificate is not null)
        {
            (options.Port, options.TlsPort) = (null, 0);
            (options.TlsCertificateFile, options.TlsKeyFile) = (certificate.CertificateFile, certificate.KeyFile);
            options.TlsClientAuthentication = TlsClientAuthentication.None;
        }

        var fixture = new ServerFixture(options, certificate);
        await fixture.Server.StartAsync(TestContext.Current.CancellationToken);
        return fixture;
    }

    public Task<TestClient> ConnectAsync() =>
        TestClient.ConnectAsync(Server.EndPoints[0], isTls: _certificate is not null);

    /// <summary>Each of the rows with each of the doors that this system has.</summary>
    public static TheoryData<T, ServerDoor> WithDoors<T>(params T[] rows)
    {
        var data = new TheoryData<T, ServerDoor>();
        foreach (var row in rows)
        {
            foreach (var door in Enum.GetValues<ServerDoor>().Where(IsOffered))
                data.Add(row, door);
        }

        return data;
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        _store.Dispose();
        _certificate?.Dispose();
    }

    private static bool IsOffered(ServerDoor door) =>
        new RespServerOptions { Transport = TransportOf(door) }.FindProblems().Count == 0;

    private static bool IsTls(ServerDoor door) => door is ServerDoor.PortableTls or ServerDoor.EpollTls;

    private static RespTransport TransportOf(ServerDoor door) =>
        door is ServerDoor.Portable or ServerDoor.PortableTls ? RespTransport.Portable : RespTransport.Epoll;
}
