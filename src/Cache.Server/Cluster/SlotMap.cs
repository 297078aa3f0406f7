using System.Diagnostics;
using Cache.Protocol;

namespace Cache.Server.Cluster;

/// <summary>Which server owns which slot. Immutable: a change is another map.</summary>
/// <remarks>A slot has one owner or none; a map in which it has two cannot be made.</remarks>
internal sealed class SlotMap
{
    /// <summary>The number of slots.</summary>
    public const int SlotCount = KeySlot.Count;

    /// <summary>The owner of a slot that nobody owns.</summary>
    public const int Nobody = -1;

    /// <summary>The most servers: as many as Redis advises for a cluster. Every reply of CLUSTER names all.</summary>
    public const int NodesMax = 1000;

    /// <summary>The greatest number of a map: what all that reads JSON reads exactly.</summary>
    public const long EpochMax = (1L << 53) - 1;

    private readonly short[] _owners;
    private readonly List<OwnedSlots>[] _ofOwners;

    private SlotMap(long epoch, ShardNode[] nodes, short[] owners)
    {
        Debug.Assert(owners.Length == KeySlot.Count && nodes.Length is > 0 and <= NodesMax);
        Epoch = epoch;
        Nodes = nodes;
        _owners = owners;
        Stretches = FindStretches(owners);
        _ofOwners = new List<OwnedSlots>[nodes.Length];
        for (int i = 0; i < nodes.Length; i++)
            _ofOwners[i] = [];
        foreach (var stretch in Stretches)
        {
            OwnerCount += _ofOwners[stretch.Owner].Count == 0 ? 1 : 0;
            _ofOwners[stretch.Owner].Add(stretch);
            AssignedCount += stretch.Last - stretch.First + 1;
        }
    }

    /// <summary>Of two maps the one with the greater number is the later one.</summary>
    public long Epoch { get; }

    public IReadOnlyList<ShardNode> Nodes { get; }

    /// <summary>The slots with an owner, in their order, those in a row together.</summary>
    public IReadOnlyList<OwnedSlots> Stretches { get; }

    /// <summary>The number of slots with an owner.</summary>
    public int AssignedCount { get; }

    /// <summary>The number of servers that own a slot.</summary>
    public int OwnerCount { get; }

    /// <summary>The slots of one server.</summary>
    /// <param name="owner">Its index.</param>
    public IReadOnlyList<OwnedSlots> StretchesOf(int owner) => _ofOwners[owner];

    /// <summary>The index of a slot's owner; <see cref="Nobody"/>: none.</summary>
    public int OwnerOf(int slot) => _owners[slot];

    /// <summary>The index of a server; <see cref="Nobody"/>: it is not in this map.</summary>
    public int IndexOf(ShardNode node)
    {
        for (int i = 0; i < Nodes.Count; i++)
        {
            if (Nodes[i] == node)
                return i;
        }

        return Nobody;
    }

    /// <summary>Makes a map.</summary>
    /// <param name="epoch">Its number.</param>
    /// <param name="nodes">The servers.</param>
    /// <param name="owned">The slots of each; null: all slots, the same number to each, in their order.</param>
    /// <param name="problem">What is wrong with it; null: nothing.</param>
    /// <returns>Null if something is wrong.</returns>
    public static SlotMap? TryCreate(
        long epoch, IReadOnlyList<ShardNode> nodes, IReadOnlyList<OwnedSlots>? owned, out string? problem)
    {
        problem = FindProblem(epoch, nodes);
        if (problem is not null)
            return null;
        short[] owners = new short[KeySlot.Count];
        Array.Fill(owners, (short)Nobody);
        foreach (var stretch in owned ?? Divide(nodes.Count))
        {
            for (int slot = stretch.First; slot <= stretch.Last; slot++)
            {
                if (owners[slot] != Nobody)
                {
                    problem = $"gives the slot {slot} to {nodes[owners[slot]]} and to {nodes[stretch.Owner]}";
                    return null;
                }

                owners[slot] = (short)stretch.Owner;
            }
        }

        return new SlotMap(epoch, [.. nodes], owners);
    }

    /// <summary>Whether another map says the same, but for its number.</summary>
    public bool HasSameOwners(SlotMap other) =>
        Nodes.SequenceEqual(other.Nodes) && _owners.SequenceEqual(other._owners);

    /// <summary>A map in which some slots have another owner.</summary>
    /// <param name="slots">Which slots.</param>
    /// <param name="owner">The index of their owner; <see cref="Nobody"/>: none.</param>
    /// <param name="epoch">The number of the new map.</param>
    public SlotMap Reassign(bool[] slots, int owner, long epoch)
    {
        short[] owners = (short[])_owners.Clone();
        for (int slot = 0; slot < owners.Length; slot++)
        {
            if (slots[slot])
                owners[slot] = (short)owner;
        }

        return new SlotMap(epoch, [.. Nodes], owners);
    }

    private static string? FindProblem(long epoch, IReadOnlyList<ShardNode> nodes)
    {
        if (epoch is < 0 or > EpochMax)
            return $"has the epoch {epoch}; it must be 0 to {EpochMax}";
        if (nodes.Count is 0 or > NodesMax)
            return $"names {nodes.Count} servers; it must name 1 to {NodesMax}";
        var seen = new HashSet<ShardNode>();
        foreach (var node in nodes)
        {
            if (!seen.Add(node))
                return $"names {node} twice";
        }

        return null;
    }

    // As redis-cli --cluster create does.
    private static List<OwnedSlots> Divide(int count)
    {
        var all = new List<OwnedSlots>();
        double each = (double)KeySlot.Count / count;
        int first = 0;
        for (int i = 0; i < count; i++)
        {
            int last = i == count - 1 ? KeySlot.Count - 1 : (int)Math.Round((i + 1) * each - 1);
            all.Add(new OwnedSlots(first, last, i));
            first = last + 1;
        }

        return all;
    }

    private static List<OwnedSlots> FindStretches(short[] owners)
    {
        var all = new List<OwnedSlots>();
        for (int first = 0, next; first < owners.Length; first = next)
        {
            for (next = first + 1; next < owners.Length && owners[next] == owners[first]; next++)
            {
            }

            if (owners[first] != Nobody)
                all.Add(new OwnedSlots(first, next - 1, owners[first]));
        }

        return all;
    }
}
