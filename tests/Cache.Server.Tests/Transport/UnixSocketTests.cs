using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Cache.Server.Transport.Sockets;

namespace Cache.Server.Tests.Transport;

public sealed class UnixSocketTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public async Task Bind_WithAMode_MakesTheFileWithIt()
    {
        string path = _folder.PathOf("s");
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupWrite;

        await using var listener = Bind(path, new() { UnixSocketMode = Mode });

        Assert.Equal(Mode, File.GetUnixFileMode(path));
    }

    // Who gets through looks at the mode: it must be the narrow one already, in every one of many rounds.
    [Fact]
    [UnsupportedOSPlatform("windows")]
    public async Task Bind_WithAMode_LetsNobodyInBeforeItIsSet()
    {
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        for (int round = 0; round < 200; round++)
        {
            string path = _folder.PathOf($"s{round}");
            var looking = Task.Run(() => ModeAtFirstConnection(path));

            await using var listener = Bind(path, new() { UnixSocketMode = Mode });

            Assert.Equal(Mode, await looking);
        }
    }

    [Fact]
    public async Task Bind_OverASocketThatNobodyListensOn_Succeeds()
    {
        string path = _folder.PathOf("s");
        MakeStale(path);
        Assert.True(File.Exists(path));

        await using var listener = Bind(path, new());

        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(path), TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Bind_OverASocketThatIsListenedOn_ThrowsAndLeavesIt()
    {
        string path = _folder.PathOf("s");
        await using var listener = Bind(path, new());

        var error = Assert.Throws<SocketException>(() => Bind(path, new()));

        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketErrorCode);
        Assert.True(File.Exists(path));
    }

    // As a process that hangs leaves it: who connects then waits.
    [Fact]
    public async Task Bind_OverASocketWhoseQueueIsFull_ThrowsAtOnce()
    {
        string path = _folder.PathOf("s");
        using var other = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        other.Bind(new UnixDomainSocketEndPoint(path));
        other.Listen(0);
        using var waiting = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await waiting.ConnectAsync(new UnixDomainSocketEndPoint(path), TestContext.Current.CancellationToken);

        var binding = Task.Run(() => Bind(path, new()), TestContext.Current.CancellationToken);

        var error = await Assert.ThrowsAsync<SocketException>(
            () => binding.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken));
        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketErrorCode);
    }

    [Fact]
    public void Bind_OverAnOrdinaryFile_ThrowsAndLeavesIt()
    {
        string path = _folder.PathOf("precious");
        File.WriteAllText(path, "");

        Assert.Throws<IOException>(() => Bind(path, new()));

        Assert.True(File.Exists(path));
    }

    [Fact]
    public async Task Bind_OverAPipe_ThrowsAtOnceAndLeavesIt()
    {
        if (OperatingSystem.IsWindows())
            return;
        string path = _folder.PathOf("pipe");
        using var making = Process.Start("mkfifo", path);
        await making.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(File.Exists(path));

        var binding = Task.Run(() => Bind(path, new()), TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<IOException>(
            () => binding.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken));
        Assert.True(File.Exists(path));
    }

    // The runtime gives a client's address no more room than the listener's has, and ends the process if it lacks some
    // when the client comes while an acceptance waits.
    [Theory]
    [InlineData(1)]
    [InlineData(60)]
    [InlineData(107)]
    public async Task Accept_OfAClientWithAnAddressOfItsOwn_IsAsAnyOther(int addressBytes)
    {
        string path = _folder.PathOf("s");
        string address = _folder.PathOf("");
        address = addressBytes < address.Length ? address + "c" : address.PadRight(addressBytes, 'c');
        await using var listener = Bind(path, new());
        foreach (bool waits in (bool[])[false, true])
        {
            var accepting = waits ? listener.AcceptAsync().AsTask() : null;
            using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            client.Bind(new UnixDomainSocketEndPoint(address));
            await client.ConnectAsync(new UnixDomainSocketEndPoint(path), TestContext.Current.CancellationToken);

            var connection = await (accepting ?? listener.AcceptAsync().AsTask());

            Assert.NotNull(connection);
            Assert.Equal(path, connection.LocalEndPoint!.ToString());
            connection.Abort();
        }
    }

    [Fact]
    public async Task Dispose_Always_RemovesTheFile()
    {
        string path = _folder.PathOf("s");
        var listener = Bind(path, new());

        await listener.DisposeAsync();

        Assert.False(File.Exists(path));
    }

    [UnsupportedOSPlatform("windows")]
    private static UnixFileMode ModeAtFirstConnection(string path)
    {
        while (true)
        {
            using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            try
            {
                client.Connect(new UnixDomainSocketEndPoint(path));
                return File.GetUnixFileMode(path);
            }
            catch (SocketException)
            {
                // Not bound yet, or not listening.
                Thread.Yield();
            }
        }
    }

    // The runtime removes the file with the socket, by its name; under another it stays, as when a process is killed.
    private void MakeStale(string path)
    {
        string other = _folder.PathOf("other");
        using var left = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        left.Bind(new UnixDomainSocketEndPoint(other));
        File.Move(other, path);
    }

    private static SocketListener Bind(string path, SocketTransportSettings settings) =>
        SocketListener.Bind(new UnixDomainSocketEndPoint(path), settings);
}
