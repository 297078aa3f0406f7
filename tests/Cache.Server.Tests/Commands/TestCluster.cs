using Cache.Server.Cluster;

namespace Cache.Server.Tests.Commands;

/// <summary>The cluster of the recorded sessions: two servers, and between theirs slots that nobody owns.</summary>
internal static class TestCluster
{
    public const string Line = "127.0.0.1:7299=0-8000 127.0.0.1:7300=8192-16383";

    /// <summary>Keys of this server, of the other one, and of nobody.</summary>
    public const string Own = "bar";
    public const string Others = "foo";
    public const string Ownerless = "k174";

    /// <summary>The state of the first server.</summary>
    public static ClusterState Create(string line = Line, bool needsAll = false)
    {
        var map = Map(line);
        return new ClusterState(map.Nodes[0], map, file: null, () => needsAll);
    }

    public static SlotMap Map(string line)
    {
        var map = SlotMapText.TryRead(line, out string? problem);
        Assert.Null(problem);
        return map!;
    }
}
