using System.Net;

namespace Cache.Server.Tests.Cluster;

/// <summary>The directives of a cluster: where the map is, and which of its servers this one is.</summary>
public sealed class ClusterOptionsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("cache-cluster").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Read_WithoutClusterEnabled_IsNone()
    {
        Assert.Null(Read(out var problems, ("cluster-nodes", "nonsense")));
        Assert.Null(Read(out var others, ("cluster-enabled", "no"), ("cluster-nodes", "nonsense")));
        Assert.Empty(problems.Concat(others));
    }

    [Theory]
    [InlineData("127.0.0.1:6379 127.0.0.1:6380", "127.0.0.1:6379")]
    [InlineData("10.255.255.1:6379 [::1]:6379", "::1:6379")]
    [InlineData("localhost:6379 other.example:6379", "localhost:6379")]
    public void Read_OneServerWithOurPortAndAddress_IsThisOne(string nodes, string expected)
    {
        var cluster = Read(out var problems, ("cluster-enabled", "YES"), ("cluster-nodes", nodes));
        Assert.Empty(problems);
        Assert.Equal(expected, cluster!.Self.ToString());
        Assert.Null(cluster.File);
    }

    [Fact]
    public void Read_NameOfThisMachineInADomain_IsThisOne()
    {
        string name = Dns.GetHostName().ToLowerInvariant();
        var cluster = Read(
            out var problems, ("cluster-enabled", "yes"), ("cluster-nodes", $"x{name}.a:6379 {name}.svc.local:6379"));
        Assert.Empty(problems);
        Assert.Equal($"{name}.svc.local:6379", cluster!.Self.ToString());
    }

    [Theory]
    [InlineData("other.example:6379", "", "this server could be none of its servers")]
    [InlineData("127.0.0.1:1 127.0.0.1:2", "", "this server could be none of its servers")]
    [InlineData("127.0.0.1:6379 [::1]:6379", "", "this server could be 127.0.0.1:6379 and ::1:6379")]
    [InlineData("a:1", "b:1", "cluster-self is 'b:1'; cluster-nodes 'a:1' does not name it.")]
    [InlineData("a:1", "b", "cluster-self is 'b'; it must be a host:port.")]
    [InlineData("a", "", "cluster-nodes 'a' has 'a', which is no host:port.")]
    public void Read_MistakeInALine_IsNamed(string nodes, string self, string expected)
    {
        Assert.Null(Read(
            out var problems, ("cluster-enabled", "yes"), ("cluster-nodes", nodes), ("cluster-self", self)));
        Assert.Contains(expected, Assert.Single(problems));
    }

    [Fact]
    public void Read_File_IsTheMap()
    {
        string path = Path.Combine(_folder, "map.json");
        File.WriteAllText(path, """{ "epoch": 4, "nodes": [ { "address": "a:1" }, { "address": "b:2" } ] }""");
        var cluster = Read(
            out var problems, ("cluster-enabled", "yes"), ("cluster-map", path), ("cluster-self", "b:2"));
        Assert.Empty(problems);
        Assert.Equal((path, 4L, 1), (cluster!.File, cluster.View.Map.Epoch, cluster.View.SelfIndex));
    }

    [Fact]
    public void Read_FileThatIsMissingOrWrong_IsNamed()
    {
        string path = Path.Combine(_folder, "map.json");
        Assert.Null(Read(out var missing, ("cluster-enabled", "yes"), ("cluster-map", path)));
        Assert.StartsWith($"cluster-map '{path}' cannot be read: ", Assert.Single(missing));
        File.WriteAllText(path, "{}");
        Assert.Null(Read(out var wrong, ("cluster-enabled", "yes"), ("cluster-map", path)));
        Assert.Equal($"cluster-map '{path}' must be an object with \"nodes\".", Assert.Single(wrong));
        File.WriteAllText(path, new string(' ', (1 << 20) + 1));
        Assert.Null(Read(out var large, ("cluster-enabled", "yes"), ("cluster-map", path)));
        Assert.Equal($"cluster-map '{path}' has more than 1048576 bytes.", Assert.Single(large));
    }

    [Fact]
    public void FindStartProblems_WrongMap_AreFoundBeforeTheStart()
    {
        var options = Options(("cluster-enabled", "yes"), ("cluster-nodes", "a"));
        Assert.Contains(options.FindStartProblems(), static one => one.StartsWith("cluster-nodes 'a'"));
    }

    private static Server.Cluster.ClusterState? Read(
        out List<string> problems, params (string Name, string Value)[] given) =>
        ClusterOptions.Read(Options(given).KeptParameters, [6379, null], static () => false, problems = []);

    private static RespServerOptions Options(params (string Name, string Value)[] given) =>
        new() { KeptParameters = given.ToDictionary(static one => one.Name, static one => one.Value) };
}
