using System.Globalization;

namespace Cache.Server.Cluster;

/// <summary>A map in one line: "cache-{0..2}.cache:6379", or "10.0.0.1:6379=0-8191 10.0.0.2:6379=8192-16383".</summary>
/// <remarks>
/// Words are divided by blanks or, in front of an address, by commas. A number in braces stands for several servers, as
/// those of a StatefulSet are named. Without slots all slots are divided evenly, in the order of the servers.
/// </remarks>
internal static class SlotMapText
{
    private static readonly char[] _blanks = [' ', '\t'];

    /// <summary>Reads a map.</summary>
    /// <param name="text">The line.</param>
    /// <param name="problem">What is wrong with it; null: nothing.</param>
    public static SlotMap? TryRead(string text, out string? problem)
    {
        var nodes = new List<ShardNode>();
        var owned = new List<OwnedSlots>();
        bool hasSlots = false;
        bool lacksSlots = false;
        foreach (string word in text.Split(_blanks, StringSplitOptions.RemoveEmptyEntries))
        {
            int equals = word.IndexOf('=');
            string addresses = equals < 0 ? word : word[..equals];
            foreach (string address in addresses.Split(',', StringSplitOptions.RemoveEmptyEntries))
            {
                if (!TryAddNodes(address, nodes))
                {
                    problem = $"has '{address}', which is no host:port";
                    return null;
                }
            }

            (hasSlots, lacksSlots) = (hasSlots || equals >= 0, lacksSlots || equals < 0);
            if (equals >= 0 && !TryAddSlots(word.AsSpan(equals + 1), nodes.Count - 1, owned))
            {
                problem = $"has '{word[(equals + 1)..]}', which are no slots such as 0-5460,6000";
                return null;
            }
        }

        problem = hasSlots && lacksSlots ? "names the slots of some servers, and of others not" : null;
        return problem is null ? SlotMap.TryCreate(0, nodes, hasSlots ? owned : null, out problem) : null;
    }

    private static bool TryAddSlots(ReadOnlySpan<char> text, int owner, List<OwnedSlots> owned)
    {
        foreach (var part in text.Split(','))
        {
            if (!SlotRangeText.TryParse(text[part], out int first, out int last))
                return false;
            owned.Add(new OwnedSlots(first, last, owner));
        }

        return true;
    }

    private static bool TryAddNodes(string address, List<ShardNode> nodes)
    {
        int open = address.IndexOf('{');
        int close = address.IndexOf('}');
        if (open < 0 || close < open)
            return TryAddNode(address, nodes);
        string[] ends = address[(open + 1)..close].Split("..");
        if (ends.Length != 2 || !TryParseEnd(ends[0], out int first) || !TryParseEnd(ends[1], out int last)
            || first > last)
        {
            return false;
        }

        for (int i = first; i <= last; i++)
        {
            string number = i.ToString(CultureInfo.InvariantCulture);
            if (!TryAddNode($"{address[..open]}{number}{address[(close + 1)..]}", nodes))
                return false;
        }

        return true;
    }

    private static bool TryParseEnd(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number < SlotMap.NodesMax;

    private static bool TryAddNode(string address, List<ShardNode> nodes)
    {
        bool isNode = ShardNode.TryParse(address, out var node);
        if (isNode)
            nodes.Add(node);
        return isNode;
    }
}
