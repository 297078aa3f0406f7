using System.Text;
using Cache.Server.Commands.Table;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>ACL beyond the recorded sessions: replies that differ from run to run, and clients that end.</summary>
public sealed class AclCommandsTests : CommandTestBase
{
    [Fact]
    public void AclGetUser_InResp3_HasMapsAndSets()
    {
        Client.Run("HELLO 3");
        Client.Run("ACL SETUSER a on nopass ~x +get (~y +set)");

        Assert.Equal(
            "%6\r\n$5\r\nflags\r\n~2\r\n$2\r\non\r\n$6\r\nnopass\r\n$9\r\npasswords\r\n*0\r\n"
            + "$8\r\ncommands\r\n$10\r\n-@all +get\r\n$4\r\nkeys\r\n$2\r\n~x\r\n$8\r\nchannels\r\n$0\r\n\r\n"
            + "$9\r\nselectors\r\n*1\r\n%3\r\n$8\r\ncommands\r\n$10\r\n-@all +set\r\n$4\r\nkeys\r\n$2\r\n~y\r\n"
            + "$8\r\nchannels\r\n$0\r\n\r\n",
            Client.Run("ACL GETUSER a"));
        Assert.Equal("_\r\n", Client.Run("ACL GETUSER nobody"));
    }

    [Theory]
    [InlineData("ACL GENPASS", 64)]
    [InlineData("ACL GENPASS 1", 1)]
    [InlineData("ACL GENPASS 5", 2)]
    [InlineData("ACL GENPASS 4096", 1024)]
    public void AclGenPass_Bits_GivesSoManyHexadecimalDigits(string line, int digits)
    {
        string reply = Client.Run(line);

        Assert.Matches($"^\\${digits}\r\n[0-9a-f]{{{digits}}}\r\n$", reply);
    }

    [Fact]
    public void AclGenPass_Twice_GivesTwo() => Assert.NotEqual(Client.Run("ACL GENPASS"), Client.Run("ACL GENPASS"));

    [Fact]
    public void AclCat_Category_ListsTheCommandsOfRedis()
    {
        string reply = Client.Run("ACL CAT bitmap");

        Assert.StartsWith("*7\r\n", reply, StringComparison.Ordinal);
        foreach (string name in new[] { "bitcount", "bitfield", "bitfield_ro", "bitop", "bitpos", "getbit", "setbit" })
            Assert.Contains($"\r\n{name}\r\n", reply, StringComparison.Ordinal);
    }

    [Fact]
    public void AclDelUser_WithClients_DisconnectsThem()
    {
        Client.Run("ACL SETUSER u on nopass");
        Client.Run("ACL SETUSER v on nopass");
        var (one, two) = (Connect(), Connect());
        one.Run("AUTH u x");
        two.Run("AUTH v x");

        Assert.Equal(":1\r\n", Client.Run("ACL DELUSER u w"));

        Assert.True(one.IsAborted);
        Assert.False(two.IsAborted);
        Assert.Equal("*2\r\n$7\r\ndefault\r\n$1\r\nv\r\n", Client.Run("ACL USERS"));
    }

    [Fact]
    public void AclDelUser_WithTheDefaultUserAmongOthers_RemovesNobody()
    {
        Client.Run("ACL SETUSER u");
        Client.Run("ACL SETUSER v");

        Assert.Equal("-ERR The 'default' user cannot be removed\r\n", Client.Run("ACL DELUSER u default v"));

        Assert.Equal("*3\r\n$7\r\ndefault\r\n$1\r\nu\r\n$1\r\nv\r\n", Client.Run("ACL USERS"));
    }

    [Fact]
    public void Admit_UserRemovedMeanwhile_ClosesTheClient()
    {
        Client.Run("ACL SETUSER u on nopass");
        var user = Server.Users.Find("u")!;
        Client.Run("ACL DELUSER u");
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();

        Server.Clients.Admit(other.Client, user);

        Assert.True(other.Client.ShouldClose);
    }

    [Fact]
    public void Admit_UserRemovedAfterwards_AbortsTheClient()
    {
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();

        Server.Clients.Admit(other.Client, Server.Users.Find("u")!);
        Assert.False(other.Client.ShouldClose);
        Client.Run("ACL DELUSER u");

        Assert.True(other.IsAborted);
    }

    [Fact]
    public void Auth_WhileItsUserIsRemoved_NeverKeepsTheRights()
    {
        // Its hash takes longer than a removal.
        string password = new('p', 1 << 20);
        for (int i = 0; i < 50; i++)
        {
            Client.Run("ACL SETUSER u on >" + password);
            var other = Connect();

            Parallel.Invoke(() => other.Call("AUTH", "u", password), () => Client.Run("ACL DELUSER u"));

            Assert.True(other.Client.User.Name != "u" || other.Client.ShouldClose);
            Server.Clients.Remove(other.Client);
        }
    }

    [Fact]
    public void ClientKill_ByUser_EndsThoseOfThatUser()
    {
        Client.Run("ACL SETUSER u on nopass");
        var (one, two) = (Connect(), Connect());
        one.Run("AUTH u x");

        Assert.Equal(":1\r\n", Client.Run("CLIENT KILL USER u"));
        Assert.True(one.IsAborted);
        Assert.False(two.IsAborted);
    }

    [Fact]
    public void ClientInfo_OfAUser_NamesIt()
    {
        Client.Run("ACL SETUSER u on nopass +client");
        Client.Run("AUTH u x");

        Assert.Contains(" user=u redir=", Client.Run("CLIENT INFO"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("on nopass ~* +@all", true)]
    [InlineData("on nopass ~* +get +set", true)]
    [InlineData("on nopass (~* +get +set)", true)]
    [InlineData("on nopass ~* +get", false)]
    [InlineData("on nopass ~a* +@all", false)]
    [InlineData("on nopass %R~* +get +set", false)]
    public void CommonWay_OfAUser_IsTakenOnlyIfGetAndSetAreFree(string rules, bool isOrdinary)
    {
        Client.Run("ACL SETUSER u " + rules);
        var other = Connect();
        other.Run("AUTH u x");

        Assert.Equal(isOrdinary, other.Context.IsOrdinary);
        Client.Run("ACL SETUSER u reset");
        Assert.False(other.Context.IsOrdinary);
    }

    // As redis-server 7.0.15 answered.
    [Theory]
    [InlineData("(+get (+set", "-ERR Unmatched parenthesis in acl selector starting at '(+set'.\r\n")]
    [InlineData("(+get x ( +set )", "+OK\r\n")]
    [InlineData("( )", "+OK\r\n")]
    [InlineData("(+get (+set +x)",
        "-ERR Error in ACL SETUSER modifier '(+set +x)': Unknown command or category name in ACL\r\n")]
    [InlineData("(+get (x)", "-ERR Error in ACL SETUSER modifier '(+get (x)': Syntax error\r\n")]
    [InlineData("%RW", "+OK\r\n")]
    [InlineData("%", "-ERR Error in ACL SETUSER modifier '%': Syntax error\r\n")]
    [InlineData("%~x", "-ERR Error in ACL SETUSER modifier '%~x': Syntax error\r\n")]
    public void SetUser_OddRules_AreTakenAsRedisDoes(string rules, string reply) =>
        Assert.Equal(reply, Client.Run("ACL SETUSER u " + rules));

    [Fact]
    public void SetUser_AccessWithoutATilde_IsAnEmptyPattern()
    {
        Client.Run("ACL SETUSER u %R");

        Assert.Contains("user u off %R~ resetchannels -@all\r\n", Client.Run("ACL LIST"), StringComparison.Ordinal);
    }

    [Fact]
    public void Info_Denials_AreCounted()
    {
        Client.Run("ACL SETUSER u on nopass +get ~a");
        var other = Connect();
        other.Run("AUTH u x");
        other.Run("DEL a");
        other.Run("GET b");
        other.Run("AUTH nobody x");

        string info = Client.Run("INFO stats");
        foreach (string reason in new[] { "auth", "cmd", "key" })
            Assert.Contains($"acl_access_denied_{reason}:1\r\n", info, StringComparison.Ordinal);
        Assert.Contains("errorstat_NOPERM:count=2\r\n", Client.Run("INFO errorstats"), StringComparison.Ordinal);
    }

    // Recorded from redis-server 7.0.15: as C shows it.
    [Fact]
    public void AclDryRun_KeyWithNul_IsShownUpToIt()
    {
        Client.Run("ACL SETUSER u on nopass +get ~a");

        Assert.Equal(
            "$50\r\nThis user has no permissions to access the 'b' key\r\n",
            Client.Call("ACL", "DRYRUN", "u", "get", "b\0c"));
    }

    [Fact]
    public void EveryCommand_OfAUserWithoutRights_IsDeniedUnlessItNeedsNone()
    {
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();
        other.Run("AUTH u x");
        foreach (var command in CommandTable.Default.All)
        {
            if ((command.Flags & CommandFlags.NoAuth) != 0 || (command.Subcommands is not null && command.Arity != -1))
                continue;
            string[] words = [.. command.Name.Split('|'), .. Enumerable.Repeat("1", Math.Abs(command.Arity))];
            string[] request = words[..Math.Max(command.Name.Split('|').Length, Math.Abs(command.Arity))];
            string discarded = command.Name == "exec" ? "EXECABORT Transaction discarded because of: " : "";
            Assert.Equal(
                $"-{discarded}NOPERM this user has no permissions to run the '{command.Name}' command\r\n",
                other.Call(request));
        }
    }

    [Fact]
    public void EveryCommandWithKeys_OnForeignKeys_IsDenied()
    {
        Client.Run("ACL SETUSER u on nopass +@all ~mine");
        var other = Connect();
        other.Run("AUTH u x");
        foreach (var command in CommandTable.Default.All.Where(KeyPositions.HasKeys))
        {
            if (command.Categories.Contains("@pubsub")) // Channels of shards have the specifications of keys.
                continue;
            int length = Math.Max(Math.Abs(command.Arity), command.KeySpecifications.Max(LengthWithKey));
            string[] words = [.. command.Name.Split('|'), .. Enumerable.Repeat("foreign", length)];
            string[] request = words[..length];
            foreach (var keys in command.KeySpecifications)
            {
                if (keys.FirstBehindNumber > 0)
                    request[keys.First] = "1";
                if (keys.Keyword is { } word && command.KeySpecifications.Length == 1) // As STREAMS of XREAD.
                    request[keys.First] = Encoding.ASCII.GetString(word);
            }

            Assert.Equal(
                "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n",
                other.Call(request));
        }
    }

    // With a number of keys, and one key behind it: a script may have none.
    private static int LengthWithKey(KeySpecification keys) => keys.FirstBehindNumber > 0 ? keys.First + 2 : 0;
}
