using System.Globalization;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class InfoCommandTests : CommandTestBase
{
    [Theory]
    [InlineData("INFO", "Server Clients Memory Persistence Stats Replication CPU Modules Errorstats Cluster Keyspace")]
    [InlineData("INFO all", "Server Clients Memory Persistence Stats Replication CPU Modules Commandstats Errorstats "
        + "Latencystats Cluster Keyspace")]
    [InlineData("INFO everything", "Server Clients Memory Persistence Stats Replication CPU Modules Commandstats "
        + "Errorstats Latencystats Cluster Keyspace")]
    [InlineData("INFO keyspace CPU default commandstats", "Server Clients Memory Persistence Stats Replication CPU "
        + "Modules Commandstats Errorstats Cluster Keyspace")]
    [InlineData("INFO keyspace cpu", "CPU Keyspace")]
    public void Info_Sections_ShowsThoseAskedForInRedisOrder(string line, string sections)
    {
        var shown = Client.Run(line).Split("\r\n").Where(text => text.StartsWith("# ", StringComparison.Ordinal));

        Assert.Equal(sections.Split(' '), shown.Select(text => text[2..]));
    }

    [Fact]
    public void Info_Server_TellsRedisVersionUnderOwnName()
    {
        var fields = ReadInfo("server");

        Assert.Equal("7.0.15", fields["redis_version"]);
        Assert.Equal("cache", fields["server_name"]);
        Assert.Matches(@"^\d+\.\d+\.\d+", fields["cache_version"]);
        Assert.Equal(RespServer.Version, fields["cache_version"]);
        Assert.Equal("standalone", fields["redis_mode"]);
        Assert.Equal(40, fields["run_id"].Length);
    }

    [Fact]
    public void Info_Keyspace_CountsKeysAndExpiriesOfEachDatabase()
    {
        Client.Run("SET a 1");
        Client.Run("SET b 1 EX 100");
        Client.Run("SELECT 5");
        Client.Run("SET c 1 EX 100");

        var fields = ReadInfo("keyspace");

        Assert.Equal("keys=2,expires=1,avg_ttl=0", fields["db0"]);
        Assert.Equal("keys=1,expires=1,avg_ttl=0", fields["db5"]);
        Assert.Equal(2, fields.Count);

        Client.Run("PERSIST c");
        Assert.Equal("keys=1,expires=0,avg_ttl=0", ReadInfo("keyspace")["db5"]);
        Client.Run("FLUSHALL");
        Assert.Empty(ReadInfo("keyspace"));
    }

    [Fact]
    public void Info_Commandstats_CountsCallsRejectionsAndFailures()
    {
        for (int i = 0; i < 100; i++)
            Client.Run("SET k v");
        Client.Run("INCR k");
        Client.Run("GET");
        Client.Run("CLIENT ID");
        Client.Run("nosuch");

        var fields = ReadInfo("commandstats");

        Assert.Matches(
            @"^calls=100,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=0$", fields["cmdstat_set"]);
        Assert.Matches("^calls=1,.*,rejected_calls=0,failed_calls=1$", fields["cmdstat_incr"]);
        Assert.Equal("calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0", fields["cmdstat_get"]);
        Assert.Matches("^calls=1,", fields["cmdstat_client|id"]);
        Assert.DoesNotContain("cmdstat_del", fields.Keys);
    }

    [Fact]
    public void Info_Commandstats_KeepsWhatClientsThatLeftCounted()
    {
        var other = Connect();
        foreach (string line in ("PING;ECHO a;GET a;SET a 1;DEL a;TTL a;TYPE a;EXISTS a"
            + ";INCR a;TIME;PING;GET a").Split(';'))
            other.Run(line);
        string expected = string.Join(' ', CallsOf("ping get set del incr time".Split(' ')));
        Server.Clients.Remove(other.Client);
        Server.Clients.Remove(other.Client);

        Assert.Equal("2 2 1 1 1 1", expected);
        Assert.Equal(expected, string.Join(' ', CallsOf("ping get set del incr time".Split(' '))));
    }

    [Fact]
    public void Info_Errorstats_CountsByCode()
    {
        Client.Run("nosuch");
        Client.Run("GET");
        Client.Run("AUTH nobody x");

        var fields = ReadInfo("errorstats");

        Assert.Equal("count=2", fields["errorstat_ERR"]);
        Assert.Equal("count=1", fields["errorstat_WRONGPASS"]);
        Assert.Equal("3", ReadInfo("stats")["total_error_replies"]);
    }

    [Fact]
    public void ConfigResetstat_AfterCounting_CountsFromZero()
    {
        Client.Run("SET a 1");
        Client.Run("GET a");
        Client.Run("GET b");
        Client.Run("nosuch");
        Assert.Equal("1", ReadInfo("stats")["keyspace_hits"]);
        Assert.Equal("1", ReadInfo("stats")["keyspace_misses"]);

        Client.Run("CONFIG RESETSTAT");

        var fields = ReadInfo("stats");
        Assert.Equal("0", fields["keyspace_hits"]);
        Assert.Equal("0", fields["keyspace_misses"]);
        Assert.Equal("0", fields["total_error_replies"]);
        Assert.Equal("0", fields["total_connections_received"]);
        Assert.Equal("2", fields["total_commands_processed"]); // CONFIG RESETSTAT itself, and INFO.
        Assert.Empty(ReadInfo("errorstats"));
        Assert.Equal(["cmdstat_config|resetstat", "cmdstat_info"], ReadInfo("commandstats").Keys.Order());
    }

    [Fact]
    public void Info_Server_NamesTheTransportInUse()
    {
        var portable = ReadInfo("server");
        Assert.Equal(("portable", "0"), (portable["multiplexing_api"], portable["io_threads_active"]));
        (Server.Settings.Transport, Server.Settings.IoThreads) = ("epoll", 2);
        var epoll = ReadInfo("server");
        Assert.Equal(("epoll", "1"), (epoll["multiplexing_api"], epoll["io_threads_active"]));
    }

    [Fact]
    public void Info_Default_HasEachFieldOnceWithItsValue()
    {
        var fields = ReadInfo("default");

        Assert.Equal("0", fields["loading"]);
        Assert.Equal("master", fields["role"]);
        Assert.Equal("1", fields["connected_clients"]);
        Assert.Equal((16 << 20).ToString(CultureInfo.InvariantCulture), fields["maxmemory"]);
        Assert.Equal("16.00M", fields["maxmemory_human"]);
    }

    private string[] CallsOf(string[] commands)
    {
        var fields = ReadInfo("commandstats");
        return [.. commands.Select(command => fields["cmdstat_" + command].Split('=', ',')[1])];
    }

    private Dictionary<string, string> ReadInfo(string section)
    {
        var fields = new Dictionary<string, string>();
        foreach (string line in Client.Run("INFO " + section).Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0)
                fields.Add(line[..colon], line[(colon + 1)..]);
        }

        return fields;
    }
}
