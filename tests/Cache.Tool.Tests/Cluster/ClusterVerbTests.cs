using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Server.Cluster;
using Cache.Tool.Client;
using Cache.Tool.Cluster;
using Cache.Tool.Tests.Live;
using Cache.Tool.Verbs;

namespace Cache.Tool.Tests.Cluster;

/// <summary>Three servers with files of one map, which the tool compares and changes.</summary>
public sealed class ClusterVerbTests : IAsyncLifetime
{
    private const int Count = 3;

    private readonly TemporaryFolder _folder = new();
    private readonly List<RunningServer> _servers = [];
    private int[] _ports = [];

    public async ValueTask InitializeAsync()
    {
        var held = Enumerable.Range(0, Count).Select(static _ => new TcpListener(IPAddress.Loopback, 0)).ToList();
        held.ForEach(static one => one.Start());
        _ports = [.. held.Select(static one => ((IPEndPoint)one.LocalEndpoint).Port)];
        held.ForEach(static one => one.Stop());
        var map = SlotMapText.TryRead(string.Join(' ', _ports.Select(Name)), out _)!;
        for (int i = 0; i < Count; i++)
        {
            File.WriteAllBytes(FileOf(i), SlotMapJson.Write(map));
            await StartAsync(i);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var server in _servers)
            await server.DisposeAsync();
        _folder.Dispose();
    }

    [Fact]
    public async Task Check_ServersThatAgree_SaysSo()
    {
        var run = await _servers[0].RunAsync("cluster", "check");
        run.AssertTells($"{Name(_ports[0])}  epoch 0, 5461 slots");
        run.AssertTells("3 servers have the same map, and each slot an owner.");
    }

    [Fact]
    public async Task Move_Slots_TakesThemFromOneAndGivesThemToTheOther()
    {
        using var watch = new OwnerWatch(_servers);
        (await _servers[2].RunAsync("cluster", "move", "--slots", "0-999,6000", "--to", Name(_ports[2])))
            .AssertTells($"1001 slots moved to {Name(_ports[2])}.");
        Assert.Equal("", watch.Found);
        (await _servers[1].RunAsync("cluster", "check")).AssertTells($"{Name(_ports[0])}  epoch 2, 4461 slots");
        Assert.All(_servers, one => Assert.Equal(2, one.Map.OwnerOf(999)));
        var maps = Enumerable.Range(0, Count).Select(i => File.ReadAllText(FileOf(i))).Distinct();
        Assert.Equal(Encoding.UTF8.GetString(SlotMapJson.Write(_servers[0].Map)), Assert.Single(maps));
        (await _servers[0].RunAsync("cluster", "move", "--slots", "0-999", "--to", Name(_ports[2])))
            .AssertTells($"0 slots moved to {Name(_ports[2])}.");
    }

    // The old owner has given them up, and then the tool was ended.
    [Fact]
    public async Task Move_ThatWasInterrupted_GoesOn()
    {
        bool[] slots = new bool[16384];
        slots[7] = true;
        var without = _servers[0].Map.Reassign(slots, SlotMap.Nobody, 1);
        await _servers[0].SetMapAsync(without);
        var check = await _servers[1].RunAsync("cluster", "check");
        Assert.Equal(1, check.Code);
        Assert.Contains("1 slots have no owner", check.Output);
        Assert.Contains($"{Name(_ports[1])} has the map of epoch 0, others that of 1", check.Output);
        (await _servers[1].RunAsync("cluster", "move", "--slots", "7", "--to", Name(_ports[1])))
            .AssertTells($"1 slots moved to {Name(_ports[1])}.");
        (await _servers[1].RunAsync("cluster", "check")).AssertTells("3 servers have the same map");
        Assert.Equal(1, _servers[0].Map.OwnerOf(7));
    }

    [Fact]
    public async Task Move_WithAServerThatIsSilent_ChangesNothing()
    {
        await _servers[1].DisposeAsync();
        var run = await _servers[0].RunAsync("cluster", "move", "--slots", "7", "--to", Name(_ports[2]));
        run.AssertFails(2, $"{Name(_ports[1])} does not answer, nothing was changed: ");
        var check = await _servers[0].RunAsync("cluster", "check");
        Assert.Equal(1, check.Code);
        Assert.Contains($"{Name(_ports[1])} does not answer: ", check.Output);
        Assert.Equal(0, _servers[0].Map.Epoch);
        _servers.RemoveAt(1);
    }

    [Fact]
    public async Task Move_MapsOfOneEpochThatDiffer_ChangesNothing()
    {
        bool[] slots = new bool[16384];
        slots[7] = true;
        await _servers[0].SetMapAsync(_servers[0].Map.Reassign(slots, 1, 1));
        await _servers[2].SetMapAsync(_servers[2].Map.Reassign(slots, 2, 1));
        (await _servers[0].RunAsync("cluster", "move", "--slots", "9", "--to", Name(_ports[2])))
            .AssertFails(2, "Servers have different maps of the same epoch, nothing was changed. See cluster check.");
        var check = await _servers[0].RunAsync("cluster", "check");
        Assert.Equal(1, check.Code);
        Assert.Contains("has another map of epoch 1 than others", check.Output);
    }

    // Both have read the same maps. In the worst order each would give the slot to its own target.
    [Fact]
    public async Task Move_WhileAnotherOneMovesTheSameSlot_IsRefused()
    {
        bool[] slots = new bool[16384];
        slots[7] = true;
        var address = new ServerAddress("127.0.0.1", _ports[0], null, false, null, null, null, null, null);
        using var one = ClusterServers.Open(address);
        using var other = ClusterServers.Open(address);
        var before = one.Newest;
        one.Send(before.Nodes[0], before.Reassign(slots, SlotMap.Nobody, 1));
        var lines = new LineHook(line =>
        {
            if (line.EndsWith("has them", StringComparison.Ordinal))
                one.Send(before.Nodes[1], before.Reassign(slots, 1, 2));
        });
        var failure = Assert.Throws<ToolException>(
            () => ClusterVerb.Move(other, slots, Name(_ports[2]), new Report(lines)));
        Assert.Equal(
            $"{Name(_ports[0])}: somebody else moves slots at this time; see 'cache cluster check'.", failure.Message);
        Assert.DoesNotContain(_servers, static server => server.Owns(7));
        (await _servers[1].RunAsync("cluster", "move", "--slots", "7", "--to", Name(_ports[1])))
            .AssertTells($"1 slots moved to {Name(_ports[1])}.");
        (await _servers[1].RunAsync("cluster", "check")).AssertTells("3 servers have the same map");
    }

    // One is between its two rounds: whoever of both comes first to the first server goes on alone.
    [Fact]
    public async Task Move_WhileAnotherOneGivesTheSlot_LeavesOneMapOfEachNumber()
    {
        bool[] slots = new bool[16384];
        slots[7] = true;
        var before = _servers[0].Map;
        foreach (var server in _servers)
            await server.SetMapAsync(before.Reassign(slots, SlotMap.Nobody, 1));
        var address = new ServerAddress("127.0.0.1", _ports[0], null, false, null, null, null, null, null);
        using var other = ClusterServers.Open(address);
        await _servers[0].SetMapAsync(before.Reassign(slots, 1, 2));
        Assert.Throws<ToolException>(
            () => ClusterVerb.Move(other, slots, Name(_ports[2]), new Report(TextWriter.Null)));
        (await _servers[0].RunAsync("cluster", "move", "--slots", "9", "--to", Name(_ports[2])))
            .AssertTells($"1 slots moved to {Name(_ports[2])}.");
        Assert.True(_servers[1].Owns(7));
    }

    [Theory]
    [InlineData("'x' is no action of cluster: check, move.", "x")]
    [InlineData("cluster move needs --slots and --to; cluster check has neither.", "move", "--slots", "1")]
    [InlineData("cluster move needs --slots and --to; cluster check has neither.", "check", "--to", "a:1")]
    [InlineData("--slots 1-: slots such as 0-99,200 are needed, up to 16383.", "move", "--slots", "1-", "--to", "a:1")]
    [InlineData("--to a:1: the map does not name it.", "move", "--slots", "1", "--to", "a:1")]
    public async Task Run_WrongWords_SaysWhatIsWrong(string expected, params string[] words) =>
        (await _servers[0].RunAsync("cluster", words)).AssertFails(2, expected);

    [Fact]
    public async Task Check_ServerWithoutCluster_Fails()
    {
        await using var alone = await RunningServer.StartAsync();
        (await alone.RunAsync("cluster", "check")).AssertFails(2, "This instance has cluster support disabled");
    }

    private static string Name(int port) => string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}");

    private string FileOf(int index) => Path.Combine(_folder.Path, $"map{index}.json");

    private async Task StartAsync(int index) => _servers.Add(await RunningServer.StartAsync(options =>
    {
        options.Port = _ports[index];
        options.KeptParameters = new Dictionary<string, string>
        {
            ["cluster-enabled"] = "yes",
            ["cluster-map"] = FileOf(index),
            ["cluster-self"] = Name(_ports[index]),
        };
    }));

    private sealed class LineHook(Action<string> note) : StringWriter(CultureInfo.InvariantCulture)
    {
        public override void WriteLine(string? value) => note(value!);
    }

    // Looks all the time whether two servers own a slot: two that did so before and after each other's look.
    private sealed class OwnerWatch : IDisposable
    {
        private readonly List<RunningServer> _watched;
        private readonly Thread _thread;
        private volatile bool _hasEnded;
        private volatile string _found = "";

        public OwnerWatch(List<RunningServer> servers)
        {
            _watched = [.. servers];
            _thread = new Thread(Watch) { IsBackground = true };
            _thread.Start();
        }

        public string Found => _found;

        public void Dispose()
        {
            _hasEnded = true;
            _thread.Join();
        }

        private void Watch()
        {
            while (!_hasEnded)
            {
                foreach (var first in _watched)
                {
                    foreach (var second in _watched)
                        Compare(first, second);
                }

                Thread.Yield();
            }
        }

        private void Compare(RunningServer first, RunningServer second)
        {
            foreach (int slot in (int[])[0, 999, 6000])
            {
                bool isOwn = first.Owns(slot);
                if (first != second && isOwn && second.Owns(slot) && first.Owns(slot))
                    _found = $"the slot {slot} has two owners";
            }
        }
    }
}
