using Cache.Core;
using Cache.Durability;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;
using Cache.Server.Tests.Transport;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>CACHE UNSAFE: says what it would do, and does it for who knows.</summary>
public sealed class UnsafeCommandTests : IDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly TemporaryFolder _folder = new();
    private readonly List<(string Client, string Action, string Reason)> _log = [];
    private int _ends;

    public void Dispose()
    {
        _store.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData("reset-acl", "It would remove all users but the default one")]
    [InlineData("ignore-journal", "the next start loads nothing, once")]
    [InlineData("end-process", "It would end the process at once")]
    public async Task Unsafe_WithoutIKnow_SaysWhatItWouldDo_AndDoesNothing(string action, string effect)
    {
        await using var files = CreateFiles();
        var client = Connect(files);
        client.Run("ACL SETUSER alice on");

        string reply = client.Run($"CACHE UNSAFE {action}");

        Assert.Contains("Nothing was done.", reply, StringComparison.Ordinal);
        Assert.Contains(effect, reply, StringComparison.Ordinal);
        Assert.Contains($"CACHE UNSAFE {action.ToUpperInvariant()} I-KNOW", reply, StringComparison.Ordinal);
        Assert.Empty(_log);
        Assert.Equal((0, 0), (_ends, client.Server.UnsafeActions));
        Assert.NotNull(client.Server.Users.Find("alice"));
        Assert.False(File.Exists(files.MarkerPath));
    }

    [Fact]
    public void ResetAcl_LetsTheDefaultUserDoEverything_AndEndsTheOthers()
    {
        var client = Connect();
        client.Run("ACL SETUSER alice on nopass +@all ~*");
        client.Run("ACL SETUSER default off -@all");
        client.Client.User = client.Server.Users.Administrator;
        var alice = new CommandClient(client.Server);
        alice.Client.User = client.Server.Users.Find("alice")!;

        Assert.Equal("+OK\r\n", client.Call("CACHE", "UNSAFE", "RESET-ACL", "I-KNOW", "the file was wrong"));

        Assert.True(alice.IsAborted);
        Assert.Null(client.Server.Users.Find("alice"));
        Assert.Contains("default on nopass", client.Run("ACL LIST"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task IgnoreJournal_MakesTheMarker()
    {
        await using var files = CreateFiles();

        Assert.Equal("+OK\r\n", Connect(files).Call("CACHE", "UNSAFE", "ignore-journal", "i-know", "it is damaged"));

        Assert.True(File.Exists(_folder.PathOf("ignore-journal")));
        Assert.Equal(_folder.PathOf("ignore-journal"), files.MarkerPath);
    }

    [Fact]
    public async Task IgnoreJournal_WhereTheFolderIsGone_IsAnError()
    {
        await using var files = CreateFiles("none");

        Assert.StartsWith("-ERR ", Connect(files).Call("CACHE", "UNSAFE", "IGNORE-JOURNAL", "I-KNOW", "why"));
    }

    [Fact]
    public void Action_IsLoggedCountedAndAnEvent_InOneLine()
    {
        var client = Connect();

        Assert.Equal("+OK\r\n", client.Call("CACHE", "UNSAFE", "END-PROCESS", "I-KNOW", "it hangs\r\nfor ever"));

        Assert.Equal(1, _ends);
        Assert.Equal([("127.0.0.1:50000", "END-PROCESS", "it hangs  for ever")], _log);
        Assert.Contains("unsafe_actions:1\r\n", client.Run("INFO stats"), StringComparison.Ordinal);
        Assert.Contains(
            "127.0.0.1:50000: CACHE UNSAFE END-PROCESS: it hangs  for ever", client.Run("CACHE EVENTS"),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-ERR CACHE UNSAFE has the actions", "drop-shard", "I-KNOW", "why")]
    [InlineData("-ERR syntax error", "RESET-ACL", "I-KNOW")]
    [InlineData("-ERR syntax error", "RESET-ACL", "YES", "why")]
    [InlineData("-ERR syntax error", "RESET-ACL", "I-KNOW", "why", "not")]
    [InlineData("-ERR CACHE UNSAFE needs a reason", "RESET-ACL", "I-KNOW", "")]
    [InlineData("-ERR this server keeps nothing on disk", "IGNORE-JOURNAL", "I-KNOW", "why")]
    public void Unsafe_InAnotherForm_IsAnErrorWithoutAnEffect(string error, params string[] words)
    {
        var client = Connect();
        client.Run("ACL SETUSER alice on");

        Assert.StartsWith(error, client.Call(["CACHE", "UNSAFE", .. words]));

        Assert.StartsWith(
            "-ERR CACHE UNSAFE needs a reason",
            client.Call("CACHE", "UNSAFE", "RESET-ACL", "I-KNOW", new string('x', 257)));
        Assert.Empty(_log);
        Assert.NotNull(client.Server.Users.Find("alice"));
    }

    [Fact]
    public void EndProcess_OfAPartOfAnotherProgram_IsRefused()
    {
        var server = new CommandClient(_store);

        Assert.StartsWith(
            "-ERR this server is a part of another program",
            server.Call("CACHE", "UNSAFE", "END-PROCESS", "I-KNOW", "why"));
    }

    [Fact]
    public void Unsafe_OfAUserWithoutTheRight_IsDenied()
    {
        var client = Connect();
        client.Run("ACL SETUSER alice on nopass +@all -@dangerous");
        client.Client.User = client.Server.Users.Find("alice")!;

        Assert.StartsWith("-NOPERM", client.Run("CACHE UNSAFE RESET-ACL I-KNOW why"));
    }

    private CacheDurability CreateFiles(string folder = ".") => new(_store, new DurabilityOptions
    {
        Directory = Path.Combine(_folder.PathOf(folder), "appendonlydir"),
        NeedsParent = true,
    });

    private CommandClient Connect(CacheDurability? files = null) => new(new ServerState(
        _store, new ServerSettings { Durability = files }, CommandTable.Default, CommandFamilies.Handlers)
    {
        EndProcess = () => _ends++,
        UnsafeActionTaken = (client, action, reason) => _log.Add((client, action, reason)),
    });
}
