using System.Text;
using Cache.Server.Cluster;
using Cache.Server.Commands.Cluster;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Tests.Commands.Cluster;

/// <summary>A map is replaced while a server serves: slots come and go.</summary>
public sealed class MapChangeTests : CommandTestBase
{
    // bar has slot 5061, hello 866, foo 12182.
    private const string Before = "127.0.0.1:7299=0-8191 127.0.0.1:7300=8192-16383";
    private const string WithoutBar = "127.0.0.1:7299=0-5060,5062-8191 127.0.0.1:7300=5061,8192-16383";
    private const string WithFoo = "127.0.0.1:7299=0-8191,12182 127.0.0.1:7300=8192-12181,12183-16383";

    public MapChangeTests() => Server.Cluster = TestCluster.Create(Before);

    [Fact]
    public void TryTake_SlotThatLeaves_IsRedirectedAndItsKeysAreGone()
    {
        Client.Run("MSET {bar}1 a {bar}2 b");
        Client.Run("SET hello v");
        Assert.True(Take(WithoutBar, 1, out _));
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("GET {bar}1"));
        Assert.Equal("$1\r\nv\r\n", Client.Run("GET hello"));
        Assert.Equal(":1\r\n", Client.Run("DBSIZE"));
    }

    [Fact]
    public void TryTake_SlotThatComesBack_BeginsEmpty()
    {
        Server.Store.Set("foo"u8, "of code in the process"u8);
        Assert.True(Take(WithFoo, 1, out _));
        Assert.Equal("$-1\r\n", Client.Run("GET foo"));
        Assert.Equal("+OK\r\n", Client.Run("SET foo v"));
        Assert.True(Take(Before, 2, out _));
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET foo"));
        Assert.True(Take(WithFoo, 3, out _));
        Assert.Equal("$-1\r\n", Client.Run("GET foo"));
    }

    [Theory]
    [InlineData(4, WithoutBar, "has the epoch 4; it must be greater than 5, that of the present map")]
    [InlineData(5, WithoutBar, "has the epoch 5, as the present map, and other owners; a change needs a greater one")]
    [InlineData(5, Before, null)]
    public void TryTake_MapThatIsNotLater_ChangesNothing(long epoch, string line, string? expected)
    {
        Assert.True(Take(Before, 5, out _));
        Assert.False(Take(line, epoch, out string? problem));
        Assert.Equal(expected, problem);
        Assert.Equal("$-1\r\n", Client.Run("GET bar"));
        Assert.Equal(5, Server.Cluster!.View.Map.Epoch);
    }

    [Fact]
    public void TryTake_KeyThatIsWaitedFor_SendsTheClientAway()
    {
        var waiter = Connect();
        var other = Connect();
        Assert.Equal("", waiter.Begin("BLPOP", "bar", "0"));
        Assert.Equal("", other.Begin("BLPOP", "hello", "0"));
        Assert.True(Take(WithoutBar, 1, out _));
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", waiter.Receive());
        Assert.Equal("", other.Receive());
        Assert.Equal(1, Server.Waits.Count);
        Client.Run("RPUSH hello v");
        Assert.Equal("*2\r\n$5\r\nhello\r\n$1\r\nv\r\n", other.Receive());
        Assert.Equal("+PONG\r\n", waiter.Run("PING"));
    }

    // Nobody owns the slot for a moment: that is not what the client is told.
    [Fact]
    public void TryTake_KeyThatIsWaitedFor_IsToldBehindTheChange()
    {
        for (int i = 0; i < 20_000; i++)
            Server.Store.Set(Encoding.ASCII.GetBytes($"key{i}"), "v"u8);
        var waiter = Connect();
        Assert.Equal("", waiter.Begin("BLPOP", "bar", "0"));
        string reply = "";
        var client = new Thread(() => SpinWait.SpinUntil(
            () => (reply = waiter.Receive()).Length > 0, TimeSpan.FromSeconds(20)));
        client.Start();
        Assert.True(Take(WithoutBar, 1, out _));
        client.Join();
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", reply);
    }

    [Fact]
    public void TryTake_ChannelOfASlotThatLeaves_EndsItsListener()
    {
        var listener = Connect();
        var other = Connect();
        listener.Run("SSUBSCRIBE bar");
        other.Run("SSUBSCRIBE hello");
        Assert.True(Take(WithoutBar, 1, out _));
        Assert.True(listener.IsAborted);
        Assert.False(other.IsAborted);
    }

    [Fact]
    public void TryTake_WatchedKeyOfASlotThatLeaves_EndsTheTransaction()
    {
        Client.Run("SET bar 1");
        Client.Run("WATCH bar");
        Client.Run("MULTI");
        Client.Run("SET bar 2");
        Assert.True(Take(WithoutBar, 1, out _));
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("EXEC"));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    // It could write behind the moment at which another server gets the slot.
    [Fact]
    public void TryTake_WhileACommandIsUnderWay_IsRefused()
    {
        Client.Run("SET bar v");
        Server.Databases.LongWaitMax = Server.Databases.TurnWaitMax = TimeSpan.Zero;
        var other = Connect();
        _ = other.Context.TryEnter();
        Assert.False(Take(WithoutBar, 1, out string? problem));
        Assert.Equal("commands of other clients took too long; nothing was changed, try again", problem);
        other.Context.Leave();
        Assert.Equal("$1\r\nv\r\n", Client.Run("GET bar"));
    }

    [Fact]
    public void TryTake_FileThatCannotBeWritten_ChangesNothing()
    {
        const string Both = "127.0.0.1:7299=0-5060,5062-8191,12182 127.0.0.1:7300=5061,8192-12181,12183-16383";
        Client.Run("SET bar v");
        Assert.False(MapChange.TryTake(
            TestCluster.Map(Both, 1), Server, own: null, LoseNothingYet, out string? problem));
        Assert.Equal("is lost", problem);
        Assert.Equal("$1\r\nv\r\n", Client.Run("GET bar"));
        Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET foo"));
        Assert.True(Server.Cluster!.View.Map.HasSameOwners(TestCluster.Map(Before)));
        Assert.True(Take(Both, 1, out _));
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("GET bar"));
        Assert.Equal("$-1\r\n", Client.Run("GET foo"));

        // Meanwhile neither is its own.
        string LoseNothingYet()
        {
            Assert.Equal("-CLUSTERDOWN Hash slot not served\r\n", Client.Run("GET bar"));
            Assert.Equal("-MOVED 12182 127.0.0.1:7300\r\n", Client.Run("GET foo"));
            return "is lost";
        }
    }

    // A failure behind that would show what was there before others had the slot.
    [Fact]
    public void TryTake_SlotThatComes_IsEmptyBeforeTheFileSaysSo()
    {
        const string Both = "127.0.0.1:7299=0-8191,12182 127.0.0.1:7300=8192-12181,12183-16383";
        Server.Store.Set("foo"u8, "old"u8);
        Assert.False(MapChange.TryTake(TestCluster.Map(Both, 1), Server, own: null, static () => "is lost", out _));
        Assert.Equal(0, Server.Store.Count);
    }

    // Who changes it waits until no command is under way, this one too.
    [Fact]
    public void TryTake_WhileAnotherOneChangesIt_WaitsWithoutAVisit()
    {
        var other = Connect();
        _ = other.Context.TryEnter();
        Thread second;
        lock (Server.Cluster!.Changing)
        {
            second = new Thread(() => MapChange.TryTake(
                TestCluster.Map(WithoutBar, 1), Server, other.Context, keep: null, out _));
            second.Start();
            Assert.True(SpinWait.SpinUntil(
                () => other.Context.Presence == DatabaseStay.None, TimeSpan.FromSeconds(20)));
        }

        second.Join();
        Assert.NotEqual(DatabaseStay.None, other.Context.Presence);
        other.Context.Leave();
        Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("GET bar"));
    }

    [Fact]
    public void CacheCluster_TwoAtATime_LeaveTheFileThatIsTheMap()
    {
        string folder = Directory.CreateTempSubdirectory("cache-cluster").FullName;
        try
        {
            string path = Path.Combine(folder, "cluster.json");
            Server.Cluster = TestCluster.Create(Before, file: path);
            var other = Connect();
            for (int epoch = 1; epoch <= 20; epoch++)
            {
                string one = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(Before, epoch)));
                string two = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(WithoutBar, epoch)));
                var replies = new string[2];
                Parallel.Invoke(
                    () => replies[0] = Client.Call("CACHE", "CLUSTER", "SET", one),
                    () => replies[1] = other.Call("CACHE", "CLUSTER", "SET", two));
                Assert.Equal(
                    $"-ERR the map has the epoch {epoch}, as the present map, and other owners; "
                    + "a change needs a greater one\r\n",
                    Assert.Single(replies, static reply => reply != "+OK\r\n"));
                string taken = Encoding.UTF8.GetString(SlotMapJson.Write(Server.Cluster.View.Map));
                Assert.Equal(taken, File.ReadAllText(path));
                Assert.Equal("+UNCHANGED\r\n", Client.Call("CACHE", "CLUSTER", "SET", taken));
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void CacheCluster_OfAFile_ReadsAndReplacesTheMap()
    {
        string folder = Directory.CreateTempSubdirectory("cache-cluster").FullName;
        try
        {
            string path = Path.Combine(folder, "cluster.json");
            Server.Cluster = TestCluster.Create(Before, file: path);
            string json = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(Before)));
            Assert.Equal($"${json.Length}\r\n{json}\r\n", Client.Run("CACHE CLUSTER"));
            json = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(WithoutBar, 7)));
            Assert.Equal("+OK\r\n", Client.Call("CACHE", "CLUSTER", "SET", json));
            Assert.Equal(json, File.ReadAllText(path));
            Assert.Equal("-MOVED 5061 127.0.0.1:7300\r\n", Client.Run("GET bar"));
            Assert.StartsWith("-ERR the map is no JSON: ", Client.Run("CACHE CLUSTER SET x"));
            json = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(Before, 6)));
            Assert.Equal(
                "-ERR the map has the epoch 6; it must be greater than 7, that of the present map\r\n",
                Client.Call("CACHE", "CLUSTER", "SET", json));
            Assert.Equal([path], Directory.GetFiles(folder));
            Directory.Delete(folder, recursive: true);
            json = Encoding.UTF8.GetString(SlotMapJson.Write(TestCluster.Map(Before, 8)));
            Assert.StartsWith(
                $"-ERR the map cannot be written to {path}: ", Client.Call("CACHE", "CLUSTER", "SET", json));
            Assert.Equal(7, Server.Cluster.View.Map.Epoch);
        }
        finally
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void CacheCluster_WithoutAFileOrACluster_IsRefused()
    {
        Assert.Equal(
            "-ERR the map is in cluster-nodes; only one that is in a file, cluster-map, is replaced\r\n",
            Client.Run("CACHE CLUSTER SET {}"));
        Assert.Equal("-ERR syntax error\r\n", Client.Run("CACHE CLUSTER GET {}"));
        Assert.Equal("-ERR syntax error\r\n", Client.Run("CACHE CLUSTER SET"));
        Client.Run("MULTI");
        Assert.Equal("-ERR Command not allowed inside a transaction\r\n", Client.Run("CACHE CLUSTER SET {}"));
        Client.Run("DISCARD");
        Server.Cluster = null;
        Assert.Equal("-ERR This instance has cluster support disabled\r\n", Client.Run("CACHE CLUSTER"));
    }

    [Fact]
    public void CacheCluster_OnASharedThread_GivesWay()
    {
        Server.Cluster = TestCluster.Create(Before, file: "cluster.json");
        Client.Context.SharesThread = true;
        Assert.Equal("", Client.Run("CACHE CLUSTER SET {}"));
        Assert.True(Client.Context.GaveWay);
    }

    private bool Take(string line, long epoch, out string? problem) =>
        MapChange.TryTake(TestCluster.Map(line, epoch), Server, own: null, keep: null, out problem);
}
