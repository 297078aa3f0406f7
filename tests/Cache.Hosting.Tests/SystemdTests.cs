using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Hosting.Tests;

/// <summary>What systemd is told, by a socket as its own.</summary>
public sealed class SystemdTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("cache-notify");
    private readonly Dictionary<string, string> _environment = [];
    private Socket? _socket;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _socket?.Dispose();
        _folder.Delete(recursive: true);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Host_FromStartToStop_IsReadyThenStopping(bool isAbstract)
    {
        if (!OperatingSystem.IsLinux())
            return;
        Listen(isAbstract);
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddCacheServer(static options => options.Port = 0);
        CacheServerServiceCollectionExtensions.AddSystemd(builder.Services, Find());
        using var host = builder.Build();

        await host.StartAsync(Token);
        Assert.Equal("READY=1", await ReceiveAsync());
        await host.StopAsync(Token);

        Assert.Equal("STOPPING=1", await ReceiveAsync());
        Assert.Equal(0, _socket!.Available);
    }

    [Fact]
    public async Task Host_ThatIsWatched_GivesTwoSignsOfLifeInItsTime()
    {
        if (!OperatingSystem.IsLinux())
            return;
        Listen(isAbstract: false);
        _environment["WATCHDOG_USEC"] = "10000000";
        _environment["WATCHDOG_PID"] = "7";
        var clock = new FakeTimeProvider();
        using var service = new SystemdService(Find(processId: 7)!, clock);

        await service.StartedAsync(Token);
        Assert.Equal("READY=1", await ReceiveAsync());
        clock.Advance(TimeSpan.Zero);
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal("WATCHDOG=1", await ReceiveAsync());
            clock.Advance(TimeSpan.FromSeconds(4));
            Assert.Equal(0, _socket!.Available);
            clock.Advance(TimeSpan.FromSeconds(1));
        }
    }

    // WatchdogSec=100d, and the most that the variable may say.
    [Theory]
    [InlineData("8640000000000")]
    [InlineData("9223372036854775807")]
    public async Task Host_ThatIsWatchedForMonths_IsReady(string microseconds)
    {
        if (!OperatingSystem.IsLinux())
            return;
        Listen(isAbstract: false);
        _environment["WATCHDOG_USEC"] = microseconds;
        using var service = new SystemdService(Find()!, TimeProvider.System);

        await service.StartedAsync(Token);

        Assert.Equal("READY=1", await ReceiveAsync());
        Assert.Equal("WATCHDOG=1", await ReceiveAsync());
    }

    [Fact]
    public void Send_WhereNobodyListens_DoesNothing()
    {
        _environment["NOTIFY_SOCKET"] = Path.Combine(_folder.FullName, "none");
        Find()?.Send(SystemdNotifier.Ready);
    }

    [Theory]
    [InlineData(null, null, null, false, false)]
    [InlineData("", null, null, false, false)]
    [InlineData("vsock:2:1", null, null, false, false)]
    [InlineData("/run/n", null, null, true, false)]
    [InlineData("/run/n", "1000000", null, true, true)]
    [InlineData("/run/n", "1000000", "7", true, true)]
    [InlineData("/run/n", "1000000", "8", true, false)]
    [InlineData("/run/n", "0", "7", true, false)]
    [InlineData("/run/n", "x", "7", true, false)]
    public void Find_Environment_SaysWhatIsAsked(
        string? path, string? microseconds, string? processId, bool isFound, bool isWatched)
    {
        Set("NOTIFY_SOCKET", path);
        Set("WATCHDOG_USEC", microseconds);
        Set("WATCHDOG_PID", processId);

        var notifier = Find(processId: 7);

        Assert.Equal((isFound, isWatched), (notifier is not null, notifier?.WatchdogTime is not null));
    }

    [Fact]
    public void Find_PathLongerThanASocketsName_IsNone()
    {
        _environment["NOTIFY_SOCKET"] = "/" + new string('x', 200);
        Assert.Null(Find());
    }

    private void Set(string name, string? value)
    {
        if (value is not null)
            _environment[name] = value;
    }

    private SystemdNotifier? Find(int processId = 1) => SystemdNotifier.Find(
        name => _environment.GetValueOrDefault(name), processId);

    private void Listen(bool isAbstract)
    {
        string name = isAbstract ? $"cache-{Guid.NewGuid():N}" : Path.Combine(_folder.FullName, "notify");
        _socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        _socket.Bind(new UnixDomainSocketEndPoint(isAbstract ? '\0' + name : name));
        _environment["NOTIFY_SOCKET"] = isAbstract ? '@' + name : name;
    }

    private async Task<string> ReceiveAsync()
    {
        byte[] bytes = new byte[100];
        int count = await _socket!.ReceiveAsync(bytes, Token);
        return Encoding.ASCII.GetString(bytes, 0, count);
    }
}
