using Cache.Server.Commands.Table;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Table;

/// <summary>Commands under other names, and disabled ones.</summary>
public sealed class RenamedCommandTests : ConnectionTestBase
{
    [Fact]
    public async Task Rename_Command_IsKnownByItsNewNameOnly()
    {
        await using var server = await StartAsync(Renaming(("CONFIG", "secret-config-name"), ("flushall", "")));
        var client = server.Connect();

        Assert.Equal(
            "-ERR unknown command 'CONFIG', with args beginning with: 'GET' 'port' \r\n",
            client.Exchange(Request("CONFIG", "GET", "port")));
        Assert.StartsWith("*2\r\n", client.Exchange(Request("Secret-Config-Name", "GET", "port")));
        Assert.StartsWith("-ERR unknown command 'flushall'", client.Exchange(Request("flushall")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("FLUSHDB")));
        int count = CommandTable.Default.Commands.Count - 1;
        Assert.Equal($":{count}\r\n", client.Exchange(Request("COMMAND", "COUNT")));
    }

    [Fact]
    public async Task Rename_Config_ResetsStatisticsUnderItsNewName()
    {
        await using var server = await StartAsync(Renaming(("CONFIG", "secret-config-name")));
        var client = server.Connect();
        client.Exchange(Request("PING") + Request("PING"));

        Assert.Equal("+OK\r\n", client.Exchange(Request("secret-config-name", "RESETSTAT")));

        string info = client.Exchange(Request("INFO", "commandstats"));
        Assert.Contains("cmdstat_config|resetstat:calls=1,", info, StringComparison.Ordinal);
        Assert.DoesNotContain("cmdstat_ping", info, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("get", "fetch")]
    [InlineData("set", "")]
    public async Task Rename_CommonCommand_IsNotTakenByTheWayOfTheCommonOnes(string name, string newName)
    {
        await using var server = await StartAsync(Renaming((name, newName)));
        var client = server.Connect();
        string[] request = name == "get" ? ["get", "k"] : ["set", "k", "v"];

        Assert.StartsWith($"-ERR unknown command '{name}'", client.Exchange(Request(request)));
        if (newName.Length > 0)
            Assert.Equal("$-1\r\n", client.Exchange(Request(newName, "k")));
    }

    [Fact]
    public async Task Rename_TwoIntoEachOther_Swaps()
    {
        await using var server = await StartAsync(Renaming(("get", "strlen"), ("strlen", "get")));
        var client = server.Connect();
        client.Exchange(Request("SET", "k", "abc"));

        Assert.Equal(":3\r\n", client.Exchange(Request("GET", "k")));
        Assert.Equal("$3\r\nabc\r\n", client.Exchange(Request("STRLEN", "k")));
    }

    [Fact]
    public async Task Rename_Command_LeavesItsNameForRules()
    {
        await using var server = await StartAsync(Renaming(("get", "fetch")));
        var client = server.Connect();
        client.Exchange(Request("ACL", "SETUSER", "u", "on", "nopass", "+set", "~*"));
        client.Exchange(Request("AUTH", "u", "x"));

        Assert.Equal(
            "-NOPERM this user has no permissions to run the 'get' command\r\n",
            client.Exchange(Request("fetch", "k")));
    }

    [Theory]
    [InlineData("nosuch", "x", "has 'nosuch'; it must be the name of a command, and of each only once.")]
    [InlineData("get", "SET", "names 'get' 'SET'; no other command may have that name.")]
    public void Rename_Impossible_IsToldByTheOptions(string name, string newName, string problem) => Assert.Equal(
        ["RespServerOptions.RenamedCommands " + problem], Renaming((name, newName)).FindProblems());

    private static RespServerOptions Renaming(params (string Name, string NewName)[] names) =>
        new() { RenamedCommands = names.ToDictionary(each => each.Name, each => each.NewName) };
}
