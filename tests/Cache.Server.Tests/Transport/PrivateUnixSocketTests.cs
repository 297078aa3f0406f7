using System.Net.Sockets;
using System.Runtime.Versioning;
using Cache.Server.Transport.Sockets;

namespace Cache.Server.Tests.Transport;

/// <summary>The file of the admin socket.</summary>
[SupportedOSPlatform("linux")]
public sealed class PrivateUnixSocketTests : IDisposable
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly TemporaryFolder _folder = new();

    // The probes of other listeners wait in it too.
    private const int Backlog = 8;

    private string Place => _folder.PathOf("admin");

    public void Dispose() => _folder.Dispose();

    // Another thread looks all the time, from before there is a file.
    [Fact]
    public async Task Listen_MakesAFileThatNeverHasAWiderMode()
    {
        using var isOver = new CancellationTokenSource();
        var seen = new HashSet<UnixFileMode>();
        var looking = Task.Run(
            () =>
            {
                while (!isOver.IsCancellationRequested)
                {
                    try
                    {
                        seen.Add(File.GetUnixFileMode(Place));
                    }
                    catch (IOException)
                    {
                        // It is not there yet, or no more.
                    }
                }
            },
            TestContext.Current.CancellationToken);
        for (int round = 0; round < 500 || seen.Count == 0; round++)
        {
            using (UnixSocketFile.ListenPrivately(Place, Backlog))
                Assert.Equal(Private, File.GetUnixFileMode(Place));
            UnixSocketFile.RemovePrivate(Place);
            Assert.False(File.Exists(Place));
        }

        await isOver.CancelAsync();
        await looking;
        Assert.Equal([Private], seen);
    }

    [Fact]
    public void Listen_OverTheSocketOfADeadProcess_ReplacesIt()
    {
        MakeStale(Place);
        Assert.True(File.Exists(Place));

        using var socket = UnixSocketFile.ListenPrivately(Place, Backlog);

        Assert.Equal(Private, File.GetUnixFileMode(Place));
        Connect();
    }

    [Fact]
    public void Listen_OverALiveSocket_IsRefused_AndItLives()
    {
        using var live = UnixSocketFile.ListenPrivately(Place, Backlog);

        var error = Assert.Throws<SocketException>(() => UnixSocketFile.ListenPrivately(Place, Backlog));

        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketErrorCode);
        UnixSocketFile.RemovePrivate(Place);
        Connect();
    }

    // Of a process whose files were removed while it ran, and whose path another process has now.
    [Fact]
    public void Remove_WhereAnotherListensThereNow_LeavesIt()
    {
        using (UnixSocketFile.ListenPrivately(Place, Backlog))
            File.Delete(Place);
        using var other = UnixSocketFile.ListenPrivately(Place, Backlog);

        UnixSocketFile.RemovePrivate(Place);

        Connect();
    }

    [Theory]
    [InlineData("file")]
    [InlineData("forbidden")]
    [InlineData("folder")]
    [InlineData("link")]
    [InlineData("dangling")]
    [InlineData("linked socket")]
    public void Listen_OverWhatIsNoSocket_IsRefused_AndItStays(string kind)
    {
        string target = _folder.PathOf("target");
        switch (kind)
        {
            case "file" or "forbidden":
                File.WriteAllText(Place, "kept");
                if (kind == "forbidden")
                    File.SetUnixFileMode(Place, UnixFileMode.None);
                break;
            case "folder":
                Directory.CreateDirectory(Place);
                break;
            case "link":
                File.WriteAllText(target, "kept");
                File.CreateSymbolicLink(Place, target);
                break;
            case "linked socket":
                MakeStale(target);
                File.CreateSymbolicLink(Place, target);
                break;
            default:
                File.CreateSymbolicLink(Place, target);
                break;
        }

        var error = Assert.Throws<IOException>(() => UnixSocketFile.ListenPrivately(Place, Backlog));
        UnixSocketFile.RemovePrivate(Place);

        Assert.EndsWith("exists and is not a socket of this user.", error.Message);
        Assert.True(Path.Exists(Place) || new FileInfo(Place).LinkTarget is not null);
    }

    // As a killed process leaves it: its file stays.
    private static void MakeStale(string path)
    {
        using var dead = UnixSocketFile.ListenPrivately(path, Backlog);
    }

    private void Connect()
    {
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Connect(new UnixDomainSocketEndPoint(Place));
    }
}
