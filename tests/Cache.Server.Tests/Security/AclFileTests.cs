using System.Text;
using Cache.Server.Security;
using Cache.Server.Tests.Commands;
using Cache.Server.Tests.Transport;

namespace Cache.Server.Tests.Security;

/// <summary>The file of users: what is saved is loaded, and a wrong one changes nothing.</summary>
public sealed class AclFileTests : CommandTestBase
{
    [Fact]
    public void AclSave_ThenLoad_GivesTheSameUsers()
    {
        using var folder = new TemporaryFolder();
        Server.Settings.AclFile = folder.PathOf("users.acl");
        Client.Run("ACL SETUSER a on >p ~x* %R~y* +@string -set +select|0 (~z +del)");
        Client.Run("ACL SETUSER b off nopass &c resetkeys -@all");
        string before = Client.Run("ACL LIST");

        Assert.Equal("+OK\r\n", Client.Run("ACL SAVE"));
        Client.Run("ACL DELUSER a b");
        Client.Run("ACL SETUSER c on");
        Assert.Equal("+OK\r\n", Client.Run("ACL LOAD"));

        Assert.Equal(before, Client.Run("ACL LIST"));
        Assert.Equal(before, Client.Run("ACL LIST"));
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(
                UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Server.Settings.AclFile));
        }
    }

    [Fact]
    public void AclSave_BySeveralClientsAtOnce_SavesForEach()
    {
        using var folder = new TemporaryFolder();
        Server.Settings.AclFile = folder.PathOf("users.acl");
        Client.Run("ACL SETUSER a on >p ~x*");
        CommandClient[] clients = [Connect(), Connect(), Connect(), Connect()];

        Parallel.ForEach(clients, client =>
        {
            for (int i = 0; i < 20; i++)
                Assert.Equal("+OK\r\n", client.Run("ACL SAVE"));
        });

        Assert.Equal([Server.Settings.AclFile], Directory.GetFiles(folder.PathOf("")));
        Assert.Equal("+OK\r\n", Client.Run("ACL LOAD"));
    }

    [Fact]
    public void AclLoad_Users_DisconnectsThoseThatWereThere()
    {
        using var folder = new TemporaryFolder();
        Write(folder, "user u on nopass +@all ~*\n# nobody else\n\n");
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();
        other.Run("AUTH u x");

        Assert.Equal("+OK\r\n", Client.Run("ACL LOAD"));

        Assert.True(other.IsAborted);
        Assert.False(Client.IsAborted);
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    [Fact]
    public void AclLoad_WithoutTheDefaultUser_GivesItEverything()
    {
        using var folder = new TemporaryFolder();
        Write(folder, "user u on nopass\n");
        Client.Run("ACL SETUSER default -del");

        Client.Run("ACL LOAD");

        Assert.Contains("user default on nopass ~* &* +@all", Client.Run("ACL LIST"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "user u +nope +nope2 zork\nuser v +bad",
        "{0}:1: Error in applying operation '+nope': Unknown command or category name in ACL. "
        + "{0}:1: Error in applying operation '+nope2': Unknown command or category name in ACL. "
        + "{0}:1: Syntax error. "
        + "{0}:2: Error in applying operation '+bad': Unknown command or category name in ACL. ")]
    [InlineData("user u on\nuser u on\n", "WARNING: Duplicate user 'u' found on line 2. ")]
    [InlineData("nobody u on\n", "{0}:1 should start with user keyword followed by the username. ")]
    [InlineData("user\n", "{0}:1 should start with user keyword followed by the username. ")]
    [InlineData(
        "user a\tb on\nuser \vc on", "'{0}:1: username 'a\tb' contains invalid characters. "
        + "'{0}:2: username '\vc' contains invalid characters. ")]
    [InlineData(
        "user u zork +nope #1 zork",
        "{0}:1: Syntax error. "
        + "{0}:1: Error in applying operation '+nope': Unknown command or category name in ACL. ")]
    [InlineData("user u on\ruser v on\n", "{0}:1: Syntax error. ")]
    [InlineData("user u (+get\n", "{0}:1: Unmatched parenthesis in selector definition.")]
    public void AclLoad_WrongLine_IsToldAndChangesNothing(string text, string error)
    {
        using var folder = new TemporaryFolder();
        Write(folder, text);
        string before = Client.Run("ACL LIST");

        Assert.Equal(
            "-ERR " + error.Replace("{0}", Server.Settings.AclFile, StringComparison.Ordinal)
            + "WARNING: ACL errors detected, no change to the previously active ACL rules was performed\r\n",
            Client.Run("ACL LOAD"));
        Assert.Equal(before, Client.Run("ACL LIST"));
    }

    [Fact]
    public void AclLoad_LinesOfWindows_AreReadAsOthers()
    {
        using var folder = new TemporaryFolder();
        Write(folder, "user u on\t \t+get\r\n\r\nuser v\r\n");

        Assert.Equal("+OK\r\n", Client.Run("ACL LOAD"));

        Assert.Contains("user u on resetchannels -@all +get\r\n", Client.Run("ACL LIST"), StringComparison.Ordinal);
        Assert.Contains("user v off resetchannels -@all\r\n", Client.Run("ACL LIST"), StringComparison.Ordinal);
    }

    [Fact]
    public void AclLoad_OfAPathWithNul_IsAnError()
    {
        Server.Settings.AclFile = "a\0b";

        Assert.StartsWith(
            "-ERR Error loading ACLs, opening file 'a\0b': ", Client.Run("ACL LOAD"), StringComparison.Ordinal);
    }

    [Fact]
    public void AclLoad_WithoutTheFile_IsAnError()
    {
        using var folder = new TemporaryFolder();
        Server.Settings.AclFile = folder.PathOf("none");

        Assert.Equal(
            $"-ERR Error loading ACLs, opening file '{Server.Settings.AclFile}': No such file or directory\r\n",
            Client.Run("ACL LOAD"));
    }

    [Fact]
    public void ReadUser_Directive_IsAsALineOfTheFile()
    {
        var users = new Dictionary<string, AclRules>();

        Assert.Empty(AclFile.ReadUser(["u", "on", "(+get", "~x)"], users));
        Assert.Equal("on resetchannels -@all (~x resetchannels -@all +get)", users["u"].Describe());
    }

    private void Write(TemporaryFolder folder, string text)
    {
        Server.Settings.AclFile = folder.PathOf("users.acl");
        File.WriteAllText(Server.Settings.AclFile, text, Encoding.Latin1);
    }
}
