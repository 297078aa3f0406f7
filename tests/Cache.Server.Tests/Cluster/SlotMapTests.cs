using System.Text;
using Cache.Server.Cluster;
using Cache.Server.Tests.Commands;

namespace Cache.Server.Tests.Cluster;

/// <summary>Maps, and their two forms: a line and JSON.</summary>
public sealed class SlotMapTests
{
    [Fact]
    public void TryRead_ServersWithoutSlots_DividesThemAsRedisCli()
    {
        var map = TestCluster.Map("a:1 b:2,c:3");
        Assert.Equal(["0-5460/0", "5461-10922/1", "10923-16383/2"], Describe(map));
        Assert.Equal(16384, map.AssignedCount);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1000)]
    public void TryRead_AnyNumberOfServers_GivesEachSlotOneOwner(int count)
    {
        var map = TestCluster.Map($"cache-{{0..{count - 1}}}.cache:6379");
        Assert.Equal(count, map.Nodes.Count);
        Assert.Equal("cache-0.cache:6379", map.Nodes[0].ToString());
        Assert.Equal(16384, map.AssignedCount);
        Assert.Equal(count, map.Stretches.Count);
        int[] lengths = [.. map.Stretches.Select(static one => one.Last - one.First + 1)];
        Assert.InRange(lengths.Max() - lengths.Min(), 0, 1);
    }

    [Fact]
    public void TryRead_SlotsOfEach_LeavesTheOthersWithoutOwner()
    {
        var map = TestCluster.Map("10.0.0.1:6379=0-3,9,5 [::1]:6380=100");
        Assert.Equal(["0-3/0", "5-5/0", "9-9/0", "100-100/1"], Describe(map));
        Assert.Equal(7, map.AssignedCount);
        Assert.Equal(SlotMap.Nobody, map.OwnerOf(4));
        Assert.Equal("::1:6380", map.Nodes[1].ToString());
    }

    [Theory]
    [InlineData("", "names 0 servers; it must name 1 to 1000")]
    [InlineData("a", "has 'a', which is no host:port")]
    [InlineData("a:0", "has 'a:0', which is no host:port")]
    [InlineData("a:65536", "has 'a:65536', which is no host:port")]
    [InlineData("a b:1", "has 'a', which is no host:port")]
    [InlineData("a{1}:1", "has 'a{1}:1', which is no host:port")]
    [InlineData("a{2..1}:1", "has 'a{2..1}:1', which is no host:port")]
    [InlineData("a{0..1000}:1", "has 'a{0..1000}:1', which is no host:port")]
    [InlineData("a:1 A:1", "names a:1 twice")]
    [InlineData("a:1=", "has '', which are no slots such as 0-5460,6000")]
    [InlineData("a:1=0-16384", "has '0-16384', which are no slots such as 0-5460,6000")]
    [InlineData("a:1=5-4", "has '5-4', which are no slots such as 0-5460,6000")]
    [InlineData("a:1=0-5 b:1=5-9", "gives the slot 5 to a:1 and to b:1")]
    [InlineData("a:1=0-5,5", "gives the slot 5 to a:1 and to a:1")]
    [InlineData("a:1=0-5 b:1", "names the slots of some servers, and of others not")]
    public void TryRead_WrongLine_SaysWhatIsWrong(string line, string expected)
    {
        Assert.Null(SlotMapText.TryRead(line, out string? problem));
        Assert.Equal(expected, problem);
    }

    [Theory]
    [InlineData("", "is no JSON: ")]
    [InlineData("[]", "must be an object with \"nodes\"")]
    [InlineData("{}", "must be an object with \"nodes\"")]
    [InlineData("{\"nodes\":1}", "has \"nodes\" that are no array")]
    [InlineData("{\"nodes\":[],\"epoch\":1.5}", "has an \"epoch\" that is no number")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a:1\"}],\"epoch\":-1}",
        "has the epoch -1; it must be 0 to 9007199254740991")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a:1\"}],\"epoch\":9223372036854775807}",
        "has the epoch 9223372036854775807; it must be 0 to 9007199254740991")]
    [InlineData("{\"nodes\":[{\"address\":\"\\ud800:1\"}]}", "is no JSON: ")]
    [InlineData("{\"nodes\":[],\"\\udc00\":1}", "is no JSON: ")]
    [InlineData("{\"nodes\":[{\"address\":\"a:1\"}],\"epoc\":1}", "has \"epoc\", which is not known")]
    [InlineData("{\"nodes\":[]}", "names 0 servers; it must name 1 to 1000")]
    [InlineData("{\"nodes\":[5]}", "has the server 5 without an \"address\" such as \"10.0.0.1:6379\"")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a\"}]}",
        "has the server {\"address\":\"a\"} without an \"address\" such as \"10.0.0.1:6379\"")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a:1\",\"slot\":[1]}]}", "has \"slot\" of a:1, which is not known")]
    [InlineData("{\"nodes\":[{\"address\":\"a:1\",\"slots\":\"1\"}]}", "has \"slots\" of a:1 that are no array")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a:1\",\"slots\":[\"9-\"]}]}",
        "has the slots '9-' of a:1; they must be such as 0-5460, up to 16383")]
    [InlineData(
        "{\"nodes\":[{\"address\":\"a:1\",\"slots\":[1]},{\"address\":\"b:1\",\"slots\":[\"0-2\"]}]}",
        "gives the slot 1 to a:1 and to b:1")]
    public void TryRead_WrongJson_SaysWhatIsWrong(string json, string expected)
    {
        Assert.Null(SlotMapJson.TryRead(Encoding.UTF8.GetBytes(json), out string? problem));
        Assert.StartsWith(expected, problem);
    }

    [Theory]
    [InlineData("{\"nodes\":[{\"address\":\"?:1\"}]}")]
    [InlineData("{\"nodes\":[{\"address\":\"a:1\",\"?\":1}]}")]
    [InlineData("{\"nodes\":[{\"address\":\"a:1\",\"slots\":[\"?\"]}]}")]
    [InlineData("{\"nodes\":[\"?\"]}")]
    [InlineData("{\"nodes\":[],\"?\":1}")]
    public void TryRead_JsonWithBytesThatAreNoUnicode_SaysSo(string json)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(json);
        bytes[json.IndexOf('?')] = 0xFF;
        Assert.Null(SlotMapJson.TryRead(bytes, out string? problem));
        Assert.StartsWith("is no JSON: ", problem);
    }

    [Fact]
    public void TryRead_LongJson_IsRefused()
    {
        Assert.Null(SlotMapJson.TryRead(new byte[SlotMapJson.BytesMax + 1], out string? problem));
        Assert.Equal("has 1048577 bytes; it must have at most 1048576", problem);
    }

    [Fact]
    public void Write_Map_IsReadBackTheSame()
    {
        var map = SlotMapJson.TryRead(
            """{ "epoch": 7, "nodes": [ { "address": "[::1]:1", "slots": ["0-9", 12] }, { "address": "b:2", }, ] }"""u8
                .ToArray(),
            out _)!;
        byte[] written = SlotMapJson.Write(map);
        var again = SlotMapJson.TryRead(written, out string? problem);
        Assert.Null(problem);
        Assert.Equal(7, again!.Epoch);
        Assert.Equal(map.Nodes, again.Nodes);
        Assert.Equal(["0-9/0", "12-12/0"], Describe(again));
    }

    [Fact]
    public void TryRead_JsonOfAnEditorOfWindows_IsRead()
    {
        var map = SlotMapJson.TryRead(
            Encoding.UTF8.GetBytes("\uFEFF{\r\n\"nodes\": [{ \"address\": \"a:1\" }] }\r\n"), out string? problem);
        Assert.Null(problem);
        Assert.Equal(["0-16383/0"], Describe(map!));
    }

    [Fact]
    public void TryRead_JsonWithoutSlots_DividesThem()
    {
        var map = SlotMapJson.TryRead(
            """{ "nodes": [ { "address": "a:1" }, { "address": "b:2" } ] }"""u8.ToArray(), out _);
        Assert.Equal(["0-8191/0", "8192-16383/1"], Describe(map!));
    }

    // What redis-cli and clients compare: 40 digits that no second address has.
    [Fact]
    public void Id_OfAnAddress_FollowsFromItAlone()
    {
        Assert.Equal("fad1b7617b497e192f2f0d81d9e394097e8c0ea6", new ShardNode("127.0.0.1", 7299).Id);
        Assert.NotEqual(new ShardNode("127.0.0.1", 7300).Id, new ShardNode("127.0.0.1", 7299).Id);
    }

    private static string[] Describe(SlotMap map) =>
        [.. map.Stretches.Select(static one => $"{one.First}-{one.Last}/{one.Owner}")];
}
