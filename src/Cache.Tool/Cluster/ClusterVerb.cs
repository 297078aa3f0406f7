using Cache.Server.Cluster;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Cluster;

/// <summary>Looks at the servers of a cluster, and moves slots between them.</summary>
/// <remarks>
/// A slot never has two owners: a server that loses one has replied that it has, before another one is told. If this
/// program, or a server, stops in between, the slot has no owner, and a further move goes on from there.
/// </remarks>
internal static class ClusterVerb
{
    private const string SlotsOption = "--slots";
    private const string ToOption = "--to";

    public static Verb Verb { get; } = new(
        "cluster",
        ["ACTION"],
        "Compares the maps of all servers of a cluster (check), or moves slots between them (move).",
        [
            "",
            "check              asks each server for its map and its slots",
            "move               gives slots to another server; their keys are not moved: a slot begins empty",
            "--slots SLOTS      which ones, such as 0-99,200",
            "--to HOST:PORT     the server that gets them, as the map names it",
            .. ServerAddress.Help,
            "",
            "Any server of the cluster may be named; the others are asked with the same options.",
            "Exit codes: 0 well, 1 the servers do not agree, or one does not answer, 2 wrong words, or a failure.",
        ],
        ServerAddress.Options((SlotsOption, "SLOTS"), (ToOption, "HOST:PORT")),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        string action = words.Operands[0];
        if (action is not ("check" or "move"))
            throw new ToolException($"'{action}' is no action of cluster: check, move.");
        bool isMove = action == "move";
        if (isMove != words.Has(SlotsOption) || isMove != words.Has(ToOption))
            throw new ToolException($"cluster move needs {SlotsOption} and {ToOption}; cluster check has neither.");
        bool[] slots = isMove ? SlotsOf(words.ValueOf(SlotsOption)!) : [];
        using var servers = ClusterServers.Open(ServerAddress.Of(words));
        return isMove ? Move(servers, slots, words.ValueOf(ToOption)!, output) : Check(servers, output);
    }

    private static bool[] SlotsOf(string text)
    {
        bool[] slots = new bool[SlotMap.SlotCount];
        foreach (string part in text.Split(','))
        {
            if (!SlotRangeText.TryParse(part, out int first, out int last))
                throw new ToolException($"{SlotsOption} {text}: slots such as 0-99,200 are needed, up to 16383.");
            Array.Fill(slots, true, first, last - first + 1);
        }

        return slots;
    }

    private static ExitCode Check(ClusterServers servers, Report output)
    {
        var map = servers.Newest;
        foreach (var (node, own) in servers.Maps)
        {
            int count = Enumerable.Range(0, SlotMap.SlotCount).Count(slot => servers.Owns(node, slot));
            output.Line($"{node}  epoch {own.Epoch}, {count} slots");
        }

        int problems = 0;
        foreach (var (node, problem) in servers.Silent)
            Tell($"{node} does not answer: {problem}");
        foreach (var (node, own) in servers.Maps)
        {
            if (own.Epoch != map.Epoch)
                Tell($"{node} has the map of epoch {own.Epoch}, others that of {map.Epoch}; 'cluster move' ends that");
            else if (!own.HasSameOwners(map))
                Tell($"{node} has another map of epoch {map.Epoch} than others; all need one of a greater epoch");
        }

        foreach (string twice in FindTwoOwners(servers))
            Tell(twice);
        if (map.AssignedCount < SlotMap.SlotCount)
            Tell($"{SlotMap.SlotCount - map.AssignedCount} slots have no owner");
        if (problems == 0)
            output.Line($"{servers.Maps.Count} servers have the same map, and each slot an owner.");
        return problems == 0 ? ExitCode.Whole : ExitCode.Damaged;

        void Tell(string problem)
        {
            problems++;
            output.Line(problem);
        }
    }

    private static IEnumerable<string> FindTwoOwners(ClusterServers servers)
    {
        for (int slot = 0; slot < SlotMap.SlotCount; slot++)
        {
            ShardNode[] owners = [.. servers.Maps.Keys.Where(node => servers.Owns(node, slot))];
            if (owners.Length > 1)
                yield return $"the slot {slot} has {owners.Length} owners: {string.Join<ShardNode>(", ", owners)}";
        }
    }

    /// <summary>Moves slots, by the maps that were read.</summary>
    internal static ExitCode Move(ClusterServers servers, bool[] slots, string to, Report output)
    {
        if (servers.Silent.Count > 0)
        {
            var (node, problem) = servers.Silent.First();
            throw new ToolException($"{node} does not answer, nothing was changed: {problem}");
        }

        if (servers.Maps.Values.Any(map => map.Epoch == servers.Newest.Epoch && !map.HasSameOwners(servers.Newest)))
        {
            throw new ToolException(
                "Servers have different maps of the same epoch, nothing was changed. See cluster check.");
        }

        if (!ShardNode.TryParse(to, out var target) || servers.Newest.IndexOf(target) is SlotMap.Nobody and var index)
            throw new ToolException($"{ToOption} {to}: the map does not name it.");
        Level(servers, output);
        index = servers.Newest.IndexOf(target);
        var before = servers.Newest;
        for (int slot = 0; slot < slots.Length; slot++)
            slots[slot] &= before.OwnerOf(slot) != index;
        int count = slots.Count(static moves => moves);
        if (count > 0)
            MoveSlots(servers, slots, index, output);
        output.Line($"{count} slots moved to {target}.");
        return ExitCode.Whole;
    }

    // What an earlier move has left: those that lose first.
    private static void Level(ClusterServers servers, Report output)
    {
        ShardNode[] late =
            [.. servers.Maps.Where(one => one.Value.Epoch < servers.Newest.Epoch).Select(static one => one.Key)];
        foreach (var node in late.OrderByDescending(node => servers.LosesBy(node, servers.Newest)))
        {
            output.Line($"{node} gets the map of epoch {servers.Newest.Epoch}, which it has missed");
            servers.Send(node, servers.Newest);
        }
    }

    // Each server takes one map of a number alone. So of two moves at once one is refused by the first server that both
    // tell, and that is the first one of the map: what was begun by one is not ended by another (decision 168).
    private static void MoveSlots(ClusterServers servers, bool[] slots, int index, Report output)
    {
        var before = servers.Newest;
        var without = before.Reassign(slots, SlotMap.Nobody, before.Epoch + 1);
        var after = before.Reassign(slots, index, before.Epoch + 2);
        var target = before.Nodes[index];
        var first = before.Nodes[0];
        foreach (var node in before.Nodes.OrderBy(node => node == first ? -1 : servers.LosesBy(node, without) ? 1 : 0)
            .ToArray())
        {
            bool loses = servers.LosesBy(node, without);
            if (!servers.Send(node, without))
                throw new ToolException($"{node}: somebody else moves slots at this time; see 'cache cluster check'.");
            if (loses)
                output.Line($"{node} has given them up");
        }

        servers.Send(first, after);
        servers.Send(target, after);
        output.Line($"{target} has them");
        foreach (var node in before.Nodes)
        {
            if (node != target && node != first)
                servers.Send(node, after);
        }
    }
}
