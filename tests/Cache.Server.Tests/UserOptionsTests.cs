using Cache.Server.Tests.Connections;
using Cache.Server.Tests.Transport;
using Cache.Testing;

namespace Cache.Server.Tests;

/// <summary>Users by the options and by a file, when the server starts.</summary>
public sealed class UserOptionsTests : ConnectionTestBase
{
    [Fact]
    public async Task Users_OfTheOptions_AreThere()
    {
        await using var server = await StartAsync(new RespServerOptions
        {
            Users = ["alice on >gehe\u00efm ~app:* +@read (+set ~tmp:*)", "default off"],
        });
        var client = server.Connect();

        Assert.Equal("-NOAUTH Authentication required.\r\n", client.Exchange(Request("GET", "app:1")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("AUTH", "alice", "gehe\u00c3\u00afm")));
        Assert.Equal("$-1\r\n", client.Exchange(Request("GET", "app:1")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("SET", "tmp:1", "v")));
        Assert.StartsWith("-NOPERM ", client.Exchange(Request("SET", "app:1", "v")));
    }

    [Fact]
    public async Task Users_WithRequirePass_LeaveTheDefaultUserItsPassword()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "p", Users = ["alice on"] });

        Assert.StartsWith("-NOAUTH ", server.Connect().Exchange(Request("GET", "k")));
    }

    [Fact]
    public async Task AclFile_OfTheOptions_IsReadAtTheStart()
    {
        using var folder = new TemporaryFolder();
        string path = folder.PathOf("users.acl");
        await File.WriteAllTextAsync(path, "user bob on nopass +ping\n", TestContext.Current.CancellationToken);
        await using var server = await StartAsync(new RespServerOptions { AclFile = path, RequirePass = "p" });
        var client = server.Connect();

        // The file does not mention the default user: its password stays.
        Assert.StartsWith("-NOAUTH ", client.Exchange(Request("PING")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("AUTH", "bob", "x")));
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
        client.Exchange(Request("AUTH", "default", "p"));
        Assert.Contains($"\r\n{path}\r\n", client.Exchange(Request("CONFIG", "GET", "aclfile")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("ACL", "LOAD")));
        Assert.StartsWith("-NOAUTH ", server.Connect().Exchange(Request("PING")));
    }

    [Fact]
    public async Task AclFile_Wrong_EndsTheStart()
    {
        using var folder = new TemporaryFolder();
        string path = folder.PathOf("users.acl");
        await File.WriteAllTextAsync(path, "user bob +nope\n", TestContext.Current.CancellationToken);

        var error = await Assert.ThrowsAsync<IOException>(() => StartAsync(new RespServerOptions { AclFile = path }));
        Assert.Contains($"{path}:1: Error in applying operation '+nope'", error.Message);
    }

    [Fact]
    public void FindProblems_OfUsers_NamesThem()
    {
        var options = new RespServerOptions { Users = ["a +nope", "b on", "b off", "", "c (+get"] };

        Assert.Equal(
            [
                "RespServerOptions.Users has the user 'a': Error in applying operation '+nope': "
                + "Unknown command or category name in ACL.",
                "RespServerOptions.Users has the user 'b': Duplicate user found. "
                + "A user can only be defined once in config files.",
                "RespServerOptions.Users has ''; it must be a name and rules, and quotes must be closed.",
                "RespServerOptions.Users has the user 'c': Unmatched parenthesis in selector definition.",
            ],
            options.FindProblems());
    }

    [Fact]
    public void FindProblems_FileAndUsers_AreNotBothTaken()
    {
        var options = new RespServerOptions { AclFile = "f", Users = ["a on"] };

        Assert.Equal(
            ["RespServerOptions.AclFile is 'f' and RespServerOptions.Users is not empty; users come from one of them."],
            options.FindProblems());
    }
}
