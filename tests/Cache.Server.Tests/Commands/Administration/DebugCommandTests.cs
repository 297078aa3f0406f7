namespace Cache.Server.Tests.Commands.Administration;

public sealed class DebugCommandTests : CommandTestBase
{
    private const string Refusal =
        "-ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from "
        + "a local connection, otherwise you need to set this option in the configuration file, and then restart the "
        + "server.\r\n";

    [Theory]
    [InlineData("no")]
    [InlineData("local")] // These clients do not say that they are of this machine.
    public void Debug_NotEnabled_IsRefusedWhateverItIs(string enabling)
    {
        Server.Settings.Kept["enable-debug-command"] = enabling;

        foreach (string line in new[] { "DEBUG HELP", "DEBUG SLEEP 0", "DEBUG NOSUCH" })
            Assert.Equal(Refusal, Client.Run(line));
    }

    [Theory]
    [InlineData("DEBUG SLEEP 0", "+OK\r\n")]
    [InlineData("DEBUG sleep abc", "+OK\r\n")]
    [InlineData("DEBUG SET-ACTIVE-EXPIRE 0", "+OK\r\n")]
    [InlineData("DEBUG JMAP", "+OK\r\n")]
    [InlineData("DEBUG CHANGE-REPL-ID", "+OK\r\n")]
    [InlineData("DEBUG QUICKLIST-PACKED-THRESHOLD 100b", "+OK\r\n")]
    [InlineData(
        "DEBUG QUICKLIST-PACKED-THRESHOLD x",
        "-ERR argument must be a memory value bigger than 1 and smaller than 4gb\r\n")]
    [InlineData("DEBUG STRINGMATCH-LEN 3 a*a", ":1\r\n")]
    [InlineData("DEBUG STRINGMATCH-LEN 3 b*", ":0\r\n")]
    [InlineData("DEBUG OBJECT nosuch", "-ERR no such key\r\n")]
    [InlineData(
        "DEBUG SLEEP", "-ERR unknown subcommand or wrong number of arguments for 'SLEEP'. Try DEBUG HELP.\r\n")]
    [InlineData("DEBUG FOO", "-ERR unknown subcommand or wrong number of arguments for 'FOO'. Try DEBUG HELP.\r\n")]
    public void Debug_Enabled_Answers(string line, string reply)
    {
        Server.Settings.Kept["enable-debug-command"] = "yes";

        Assert.Equal(reply, Client.Run(line));
    }

    [Fact]
    public void Debug_Object_DescribesIt()
    {
        Server.Settings.Kept["enable-debug-command"] = "yes";
        Client.Run("SET k abc");

        Assert.Equal(
            "+Value at:0x0 refcount:1 encoding:embstr serializedlength:3 lru:0 lru_seconds_idle:0\r\n",
            Client.Run("DEBUG OBJECT k"));
    }

    [Fact]
    public void Debug_Sleep_DelaysItsClientAlone()
    {
        Server.Settings.Kept["enable-debug-command"] = "yes";

        Client.Run("DEBUG SLEEP 1.5");

        Assert.Equal(TimeSpan.FromMilliseconds(1500), Client.Client.Suspension.Timeout);
        Assert.True(Client.Client.IsParked);
        Assert.False(Connect().Client.IsParked);
    }

    // It is how people try whether slow commands are logged.
    [Fact]
    public void Debug_Sleep_IsInTheSlowLogWithItsTime()
    {
        Server.Settings.Kept["enable-debug-command"] = "yes";

        Client.Run("DEBUG SLEEP 0.009");
        Client.Run("DEBUG SLEEP 0.02");

        var call = Assert.Single(Server.SlowLog.GetLast(2));
        Assert.Equal(20_000, call.Value);
    }
}
