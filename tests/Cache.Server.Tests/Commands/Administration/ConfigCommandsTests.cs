using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class ConfigCommandsTests : CommandTestBase
{
    [Theory]
    [InlineData("volatile-lru", EvictionPolicy.ExpiringEntries)]
    [InlineData("volatile-lfu", EvictionPolicy.ExpiringEntries)]
    [InlineData("volatile-random", EvictionPolicy.ExpiringEntries)]
    [InlineData("volatile-ttl", EvictionPolicy.ExpiringEntries)]
    [InlineData("allkeys-lru", EvictionPolicy.AllEntries)]
    [InlineData("allkeys-lfu", EvictionPolicy.AllEntries)]
    [InlineData("allkeys-random", EvictionPolicy.AllEntries)]
    [InlineData("noeviction", EvictionPolicy.None)]
    public void ConfigSet_MaxMemoryPolicy_SetsTheStores(string name, EvictionPolicy policy)
    {
        Assert.Equal("+OK\r\n", Client.Run($"CONFIG SET maxmemory-policy {name}"));

        Assert.Equal(policy, Server.Store.Eviction);
        Assert.EndsWith($"\r\n{name}\r\n", Client.Run("CONFIG GET maxmemory-policy"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("cold", ValueCompression.Cold)]
    [InlineData("ALL", ValueCompression.All)]
    [InlineData("off", ValueCompression.Off)]
    public void ConfigSet_Compression_SetsTheStores(string name, ValueCompression mode)
    {
        Assert.Equal("+OK\r\n", Client.Run($"CONFIG SET compression {name}"));

        Assert.Equal(mode, Server.Store.Compression);
        Assert.EndsWith(
            $"\r\n{name.ToLowerInvariant()}\r\n", Client.Run("CONFIG GET compression"), StringComparison.Ordinal);
        Assert.StartsWith("-ERR", Client.Run("CONFIG SET compression lz4"), StringComparison.Ordinal);
        Assert.Equal(mode, Server.Store.Compression);
    }

    // Replies recorded from redis-server 7.0.15.
    [Fact]
    public void ConfigSet_PercentageForClients_IsAPartOfMaxMemory()
    {
        Client.Run("CONFIG SET maxmemory 16mb");

        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET maxmemory-clients 50%"));
        Assert.Equal("*2\r\n$17\r\nmaxmemory-clients\r\n$3\r\n50%\r\n", Client.Run("CONFIG GET maxmemory-clients"));
        Assert.Equal(8 << 20, Server.ClientMemory.LimitBytes);
        Client.Run("CONFIG SET maxmemory 32mb");
        Assert.Equal(16 << 20, Server.ClientMemory.LimitBytes);

        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET maxmemory-clients 2mb"));
        Assert.Equal(
            "*2\r\n$17\r\nmaxmemory-clients\r\n$7\r\n2097152\r\n", Client.Run("CONFIG GET maxmemory-clients"));
        Client.Run("CONFIG SET maxmemory 16mb");
        Assert.Equal(2 << 20, Server.ClientMemory.LimitBytes);
    }

    [Theory]
    [InlineData("101%", "percentage argument must be less or equal to 100")]
    [InlineData("-1%", "argument must be a memory or percent value")]
    [InlineData("5.5%", "argument must be a memory or percent value")]
    [InlineData("%", "argument must be a memory or percent value")]
    public void ConfigSet_WrongPercentageForClients_IsRefused(string value, string problem) => Assert.Equal(
        $"-ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') - {problem}\r\n",
        Client.Run($"CONFIG SET maxmemory-clients {value}"));

    [Theory]
    [InlineData("-9223372036854775808 0 0")]
    [InlineData("0 2001 0")]
    [InlineData("0 0 -2001")]
    public void ConfigSet_OomScoreOutOfRange_IsRefused(string value) => Assert.Equal(
        "-ERR CONFIG SET failed (possibly related to argument 'oom-score-adj-values') - "
        + "Invalid oom-score-adj-values, elements must be between -2000 and 2000.\r\n",
        Client.Call("CONFIG", "SET", "oom-score-adj-values", value));

    [Fact]
    public void ConfigGet_PolicyChangedBesideTheServer_ShowsTheStores()
    {
        Client.Run("CONFIG SET maxmemory-policy allkeys-lfu");
        Server.Store.Eviction = EvictionPolicy.None;

        Assert.EndsWith("\r\nnoeviction\r\n", Client.Run("CONFIG GET maxmemory-policy"), StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigSet_MaxMemory_SetsTheStoresLimit()
    {
        Client.Run("CONFIG SET maxmemory 8mb");
        Assert.Equal(8 << 20, Server.Store.MemoryLimitBytes);

        Assert.StartsWith(
            "-ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be between 1048576 and ",
            Client.Run("CONFIG SET timeout 5 maxmemory 1k"),
            StringComparison.Ordinal);
        Assert.Equal(8 << 20, Server.Store.MemoryLimitBytes);
        Assert.Equal(0, Server.Settings.TimeoutSeconds);
    }

    // Redis has it for who loads a DEBUG; here it is only kept, and cannot be set while the server runs, as there.
    [Fact]
    public void ConfigGet_EnableDebugCommand_IsWhatTheServerWasGiven()
    {
        Assert.EndsWith("\r\nno\r\n", Client.Run("CONFIG GET enable-debug-command"), StringComparison.Ordinal);
        Server.Settings.Kept["enable-debug-command"] = "local";
        Assert.EndsWith("\r\nlocal\r\n", Client.Run("CONFIG GET enable-debug-command"), StringComparison.Ordinal);
        Assert.EndsWith(
            "- can't set immutable config\r\n", Client.Run("CONFIG SET enable-debug-command yes"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigGet_KeptParameter_IsShownAndSetWithinItsBound()
    {
        Assert.Equal("*2\r\n$15\r\nSlowLog-max-len\r\n$3\r\n128\r\n", Client.Run("CONFIG GET SlowLog-max-len"));
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET SLOWLOG-MAX-LEN 7"));
        Assert.Equal("*2\r\n$15\r\nslowlog-max-len\r\n$1\r\n7\r\n", Client.Run("CONFIG GET slowlog-m*"));
        Assert.EndsWith(
            "- duplicate parameter\r\n", Client.Run("CONFIG SET slowlog-max-len 1 slowlog-max-len 2"),
            StringComparison.Ordinal);
        Assert.EndsWith(
            "- argument is too long\r\n", Client.Run("CONFIG SET masteruser " + new string('1', 4097)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigSet_PubSubDefault_IsWhatNewUsersBeginWith()
    {
        Client.Run("ACL SETUSER before");
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET acl-pubsub-default AllChannels"));
        Assert.EndsWith(
            "\r\nallchannels\r\n", Client.Run("CONFIG GET acl-pubsub-default"), StringComparison.Ordinal);
        Client.Run("ACL SETUSER after (+get)");
        Client.Run("ACL SETUSER again resetchannels reset");
        string users = Client.Run("ACL LIST");
        Assert.Contains(
            "user after off &* -@all (&* -@all +get)\r\n", users, StringComparison.Ordinal);
        Assert.Contains("user again off sanitize-payload &* -@all\r\n", users, StringComparison.Ordinal);
        Assert.Contains("user before off resetchannels -@all\r\n", users, StringComparison.Ordinal);
        Assert.EndsWith(
            "- argument(s) must be one of the following: allchannels, resetchannels\r\n",
            Client.Run("CONFIG SET acl-pubsub-default some"), StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigSet_MaxMemoryZero_LiftsTheLimitToTheMachines()
    {
        Client.Run("CONFIG SET maxmemory 0");

        Assert.Equal(CacheOptions.AvailableMemoryBytes, Server.Store.MemoryLimitBytes);
    }

    [Theory]
    [InlineData("appendonly yes", "this server keeps nothing on disk")]
    [InlineData("unixsocket s", "can't set immutable config")]
    [InlineData("port 65536", "argument must be between 0 and 65535 inclusive")]
    [InlineData("port abc", "argument couldn't be parsed into an integer")]
    [InlineData("port 1 port 2", "duplicate parameter")]
    [InlineData("proto-max-bulk-len 1gb", "argument must be between 1048576 and 536870912 inclusive")]
    public void ConfigSet_ValueThatCannotBe_TellsWhy(string arguments, string problem)
    {
        string name = arguments.Split(' ')[0];

        Assert.Equal(
            $"-ERR CONFIG SET failed (possibly related to argument '{name}') - {problem}\r\n",
            Client.Run("CONFIG SET " + arguments));
    }

    // The server's own limits of time, which the sweep reads anew.
    [Theory]
    [InlineData("auth-timeout")]
    [InlineData("partial-request-timeout")]
    [InlineData("client-output-timeout")]
    public void ConfigSet_TimeOfOurs_IsTakenWithinItsBound(string name)
    {
        Assert.Equal("+OK\r\n", Client.Run($"CONFIG SET {name} 2147483"));
        Assert.Equal($"*2\r\n${name.Length}\r\n{name}\r\n$7\r\n2147483\r\n", Client.Run($"CONFIG GET {name}"));
        Assert.EndsWith(
            "argument must be between 0 and 2147483 inclusive\r\n", Client.Run($"CONFIG SET {name} 2147484"),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("timeout", "+5")]
    [InlineData("timeout", "007")]
    [InlineData("timeout", "5\0")]
    [InlineData("timeout", "-0")]
    [InlineData("maxclients", "+5")]
    public void ConfigSet_IntegerInAnotherForm_IsRefused(string name, string value)
    {
        Assert.Equal(
            $"-ERR CONFIG SET failed (possibly related to argument '{name}') - "
            + "argument couldn't be parsed into an integer\r\n",
            Client.Call("CONFIG", "SET", name, value));
    }

    [Fact]
    public void ConfigSet_MoreClientsThanTheSystemAllows_IsRefused()
    {
        Server.Settings.MaxClientsMax = 832;

        Assert.Equal(
            "-ERR CONFIG SET failed (possibly related to argument 'maxclients') - The operating system is not able "
            + "to handle the specified number of clients, try with 832\r\n",
            Client.Run("CONFIG SET maxclients 833"));
        Assert.Equal(10_000, Server.Settings.MaxClients);
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET maxclients 832"));
        Assert.Equal(832, Server.Settings.MaxClients);
    }

    [Fact]
    public void ConfigSet_PasswordOfAnyBytes_IsTakenAsItIs()
    {
        Client.Call("CONFIG", "SET", "requirepass", "a\xff\0\r\n");
        var other = Connect();

        Assert.Equal("-WRONGPASS invalid username-password pair or user is disabled.\r\n", other.Run("AUTH a"));
        Assert.Equal("+OK\r\n", other.Call("AUTH", "a\xff\0\r\n"));
        Assert.Equal(
            "*2\r\n$11\r\nrequirepass\r\n$5\r\na\xff\0\r\n\r\n", other.Run("CONFIG GET requirepass"));
    }

    // Two names of one thing, as in Redis.
    [Fact]
    public void ConfigSet_OlderName_ChangesBoth()
    {
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET slave-priority 7"));
        Assert.EndsWith("\r\n7\r\n", Client.Run("CONFIG GET replica-priority"), StringComparison.Ordinal);
        Assert.EndsWith("\r\n7\r\n", Client.Run("CONFIG GET slave-priority"), StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigSet_ProtectedParameter_IsRefusedUnlessAllowed()
    {
        const string refused =
            "-ERR CONFIG SET failed (possibly related to argument 'dbfilename') - can't set protected config\r\n";
        Assert.Equal(refused, Client.Run("CONFIG SET dbfilename a.rdb"));
        Server.Settings.Kept["enable-protected-configs"] = "yes";
        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET dbfilename a.rdb"));
        Assert.EndsWith(
            "- dbfilename can't be a path, just a filename\r\n", Client.Run("CONFIG SET dbfilename a/b"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigSet_LimitsOfSomeClients_LeaveTheOthers()
    {
        Assert.Equal("+OK\r\n", Client.Call("CONFIG", "SET", "client-output-buffer-limit", "Normal 2mb 0 0"));
        Assert.Equal("+OK\r\n", Client.Call("CONFIG", "SET", "client-output-buffer-limit", "replica 1 2 3"));
        Assert.Equal(2 << 20, Server.Settings.ClientOutputBufferLimit);
        Assert.EndsWith(
            "\r\nnormal 2097152 0 0 slave 1 2 3 pubsub 33554432 8388608 60\r\n",
            Client.Run("CONFIG GET client-output-buffer-limit"), StringComparison.Ordinal);
    }

    // Its bound is what the store was made for.
    [Fact]
    public void ConfigSet_LongerValuesThanTheStoreTakes_AreRefused()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ValueLengthMax = 2 << 20 });
        var client = new CommandClient(Cache.Testing.TestServerState.Create(store));
        Assert.EndsWith(
            "- argument must be between 1048576 and 2097152 inclusive\r\n",
            client.Run("CONFIG SET proto-max-bulk-len 3mb"), StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", client.Run("CONFIG SET proto-max-bulk-len 2mb"));
    }

    [Fact]
    public void ConfigGet_Star_ShowsEachParameterOnce()
    {
        string[] parts = Client.Run("CONFIG GET * *").Split("\r\n");

        Assert.Single(parts, "maxmemory");
        Assert.Contains("timeout", parts);
    }

    // A name's look-up, or an eviction down to a lower limit, may take seconds.
    [Fact]
    public async Task ConfigSet_WhileAnotherServerOfTheProcessChanges_DoesNotWait()
    {
        using var goesOn = new ManualResetEventSlim();
        using var isChanging = new ManualResetEventSlim();
        var settings = new ServerSettings();
        var other = new CommandClient(new ServerState(
            Server.Store, settings, CommandTable.Default, CommandFamilies.Handlers)
        {
            Listen = _ =>
            {
                isChanging.Set();
                return goesOn.Wait(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
            },
        });
        var change = Task.Run(() => other.Run("CONFIG SET port 7"), TestContext.Current.CancellationToken);
        isChanging.Wait(TestContext.Current.CancellationToken);

        Assert.Equal("+OK\r\n", Client.Run("CONFIG SET timeout 7"));
        bool wasFirst = !change.IsCompleted;
        goesOn.Set();

        Assert.Equal("+OK\r\n", await change);
        Assert.True(wasFirst);
    }
}
