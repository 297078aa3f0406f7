namespace Cache.Server.Tests.Commands.Cluster;

/// <summary>What the recorded sessions have not: replies of our own, and what depends on the map.</summary>
public sealed class ClusterCommandTests : CommandTestBase
{
    [Fact]
    public void Info_OfAMap_CountsItsSlotsAndServers()
    {
        Server.Cluster = TestCluster.Create();
        Assert.Equal(
            "$312\r\ncluster_state:ok\r\ncluster_slots_assigned:16193\r\ncluster_slots_ok:16193\r\n"
            + "cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:2\r\ncluster_size:2\r\n"
            + "cluster_current_epoch:0\r\ncluster_my_epoch:0\r\ncluster_stats_messages_sent:0\r\n"
            + "cluster_stats_messages_received:0\r\ntotal_cluster_links_buffer_limit_exceeded:0\r\n\r\n",
            Client.Run("CLUSTER INFO"));
    }

    [Fact]
    public void Nodes_OfAMap_HasALineForEach()
    {
        Server.Cluster = TestCluster.Create("127.0.0.1:7299=0-5,9 cache-1.cache:60000=10");
        string id = Server.Cluster.View.Map.Nodes[1].Id;
        Assert.Equal(
            $"fad1b7617b497e192f2f0d81d9e394097e8c0ea6 127.0.0.1:7299@17299 myself,master - 0 0 0 connected 0-5 9\n"
            + $"{id} cache-1.cache:60000@0,cache-1.cache master - 0 0 0 connected 10\n",
            Client.Run("CLUSTER NODES").Split("\r\n", 2)[1][..^2]);
    }

    [Fact]
    public void Shards_OfANamedServer_HaveItsName()
    {
        Server.Cluster = TestCluster.Create("cache-0.cache:6379");
        Assert.Contains("$8\r\nhostname\r\n$13\r\ncache-0.cache\r\n", Client.Run("CLUSTER SHARDS"));
        Assert.Contains("*4\r\n$13\r\ncache-0.cache\r\n:6379\r\n", Client.Run("CLUSTER SLOTS"));
    }

    [Fact]
    public void Replicas_OfAServerOfTheMap_AreNone()
    {
        Server.Cluster = TestCluster.Create();
        string id = Server.Cluster.View.Map.Nodes[1].Id;
        Assert.Equal("*0\r\n", Client.Run($"CLUSTER REPLICAS {id}"));
        Assert.Equal("*0\r\n", Client.Run($"CLUSTER SLAVES {id}"));
        Assert.Equal(":0\r\n", Client.Run($"CLUSTER COUNT-FAILURE-REPORTS {id}"));
        Assert.Equal("*0\r\n", Client.Run("CLUSTER LINKS"));
    }

    [Theory]
    [InlineData("CLUSTER ADDSLOTS 1")]
    [InlineData("CLUSTER SETSLOT 1 STABLE")]
    [InlineData("CLUSTER RESET")]
    [InlineData("CLUSTER MEET 127.0.0.1 1")]
    public void ChangingCommands_InACluster_AreRefused(string line)
    {
        Server.Cluster = TestCluster.Create();
        Assert.Equal(
            "-ERR The owners of slots are in the map of this server, which 'cache cluster move' changes\r\n",
            Client.Run(line));
    }

    [Fact]
    public void Get_WhileASlotHasNoOwner_IsRefusedIfAllAreNeeded()
    {
        Server.Cluster = TestCluster.Create(needsAll: true);
        Assert.Contains("cluster_state:fail", Client.Run("CLUSTER INFO"));
        Assert.Equal("-CLUSTERDOWN The cluster is down\r\n", Client.Run("GET " + TestCluster.Own));
        Assert.Equal("-CLUSTERDOWN The cluster is down\r\n", Client.Run("GET " + TestCluster.Others));
        Assert.Equal("-CLUSTERDOWN Hash slot not served\r\n", Client.Run("GET " + TestCluster.Ownerless));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
        Server.Cluster = TestCluster.Create("127.0.0.1:7299 127.0.0.1:7300", needsAll: true);
        Assert.Equal("$-1\r\n", Client.Run("GET " + TestCluster.Own));
    }

    // As redis-server 7.0.15 replies, whose slots were lost.
    [Fact]
    public void Commands_WhileTheClusterIsDown_AreAnsweredAsTheDirectivesSay()
    {
        const string Down = "-CLUSTERDOWN The cluster is down\r\n";
        Server.Cluster = TestCluster.Create(needsAll: true);
        Assert.Equal(":0\r\n", Client.Run("SPUBLISH bar x"));
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("SPUBLISH foo x"));
        Client.Run("MULTI");
        Assert.Equal("+QUEUED\r\n", Client.Run("SPUBLISH bar x"));
        Assert.Equal(Down, Client.Run("EXEC"));
        Server.Settings.Kept["cluster-allow-pubsubshard-when-down"] = "no";
        Assert.Equal(Down, Client.Run("SPUBLISH bar x"));
        Server.Settings.Kept["cluster-allow-reads-when-down"] = "yes";
        Assert.Equal(Down, Client.Run("SPUBLISH bar x"));
        Assert.Equal("$-1\r\n", Client.Run("GET bar"));
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET foo"));
        Assert.Equal(
            "-CLUSTERDOWN The cluster is down and only accepts read commands\r\n", Client.Run("SET bar v"));
        Client.Run("MULTI");
        Client.Run("GET bar");
        Assert.Equal("*1\r\n$-1\r\n", Client.Run("EXEC"));
    }

    [Fact]
    public void Get_OnAServerThatTheMapDoesNotName_IsAlwaysRedirected()
    {
        Server.Cluster = TestCluster.Create();
        var others = TestCluster.Map("127.0.0.1:7300");
        Server.Cluster.View = new(others, Server.Cluster.Self);
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("GET " + TestCluster.Own));
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET " + TestCluster.Others));
    }

    [Fact]
    public void Hello_InACluster_SaysSo()
    {
        Assert.Contains("mode\r\n$10\r\nstandalone", Client.Run("HELLO"));
        Assert.Contains("redis_mode:standalone\r\n", Client.Run("INFO"));
        Assert.Contains("cluster_enabled:0\r\n", Client.Run("INFO"));
        Server.Cluster = TestCluster.Create();
        Assert.Contains("mode\r\n$7\r\ncluster", Client.Run("HELLO"));
        Assert.Contains("redis_mode:cluster\r\n", Client.Run("INFO"));
        Assert.Contains("cluster_enabled:1\r\n", Client.Run("INFO"));
    }

    // The fast path of common requests looks at no slot.
    [Fact]
    public void IsOrdinary_InACluster_IsFalse()
    {
        Assert.True(Client.Context.IsOrdinary);
        Server.Cluster = TestCluster.Create();
        Assert.False(Client.Context.IsOrdinary);
    }

    [Fact]
    public void Pause_ThatEndsInACluster_LeavesTheChecks()
    {
        Server.Cluster = TestCluster.Create();
        Server.Pauses.Begin(1_000, writesOnly: false);
        Server.Pauses.End();
        Assert.False(Server.Pauses.AreThere);
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET " + TestCluster.Others));
        Server.Cluster = null;
        Assert.True(Server.IsUnhindered);
    }

    [Fact]
    public void Redirection_IsCountedAsRejectedCallAndAsError()
    {
        Server.Cluster = TestCluster.Create();
        Client.Run("GET " + TestCluster.Others);
        Client.Run("GET " + TestCluster.Own);
        Assert.Contains("cmdstat_get:calls=1,", Client.Run("INFO commandstats"));
        Assert.Contains(",rejected_calls=1,failed_calls=0", Client.Run("INFO commandstats"));
        Assert.Contains("errorstat_MOVED:count=1\r\n", Client.Run("INFO errorstats"));
    }

    [Fact]
    public void CountKeysInSlot_ManyKeys_CountsThoseOfTheSlot()
    {
        for (int i = 0; i < 3_000; i++)
            Client.Run($"SET {(i % 3 == 0 ? "{bar}" : "")}{i} v");
        Server.Cluster = TestCluster.Create();
        Assert.Equal(":1000\r\n", Client.Run("CLUSTER COUNTKEYSINSLOT 5061"));
        Assert.StartsWith("*7\r\n$", Client.Run("CLUSTER GETKEYSINSLOT 5061 7"));
        Assert.StartsWith("*1000\r\n$", Client.Run("CLUSTER GETKEYSINSLOT 5061 5000"));
    }

    [Fact]
    public void CountKeysInSlot_OnASharedThread_GivesWay()
    {
        Client.Run("SET a v");
        Server.Cluster = TestCluster.Create();
        Client.Context.SharesThread = true;
        Assert.Equal("", Client.Run("CLUSTER COUNTKEYSINSLOT 5061"));
        Assert.True(Client.Context.GaveWay);
    }
}
