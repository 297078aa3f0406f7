using System.Diagnostics;
using Cache.Core.Eviction;

namespace Cache.Core.Curve;

/// <summary>
/// Simulates the store's eviction over a part of the keys, in as small a part of the memory: which of them would be in
/// a store of another size.
/// </summary>
/// <remarks>
/// S3-FIFO by bytes, with a share of the small list that is given or follows the keys, the store's promotion threshold
/// and its classes of size, and as many ghosts as entries. Knows hashes only. Not thread-safe. Source: scaled-down
/// simulation (Waldspurger et al., ATC'17).
/// </remarks>
internal sealed class Miniature
{
    private const int FrequencyMax = 3; // As of the store's buckets.
    private const int NodesAtFirst = 256;

    // In place of a node: none.
    private const int Nothing = -1;

    private readonly int _promotionThreshold;
    private readonly int _entriesMax;
    private readonly SmallShare _share;
    private readonly NodeList[] _lists = new NodeList[(int)List.Count];
    private Node[] _nodes = new Node[NodesAtFirst];
    private int[] _chains = new int[NodesAtFirst];
    private UsualSize _usualSize;
    private int _unused; // Nodes from here on were never used.

    /// <param name="promotionThreshold">How often a new entry must have been used to stay.</param>
    /// <param name="entriesMax">The most entries, whatever their size: bounds the memory.</param>
    /// <param name="share">The small list's share; null: it follows the keys that come back.</param>
    public Miniature(int promotionThreshold, int entriesMax, double? share = null)
    {
        _promotionThreshold = promotionThreshold;
        _entriesMax = entriesMax;
        _share = new SmallShare();
        if (share is { } chosen)
            ChooseShare(chosen);
        Empty();
    }

    private enum List : byte
    {
        Free,
        Small,
        Main,
        Ghosts,
        Count,
    }

    /// <summary>The bytes that its entries may take; a smaller capacity holds from the next write on.</summary>
    public long CapacityBytes { get; set; }

    /// <summary>The entries.</summary>
    public int Count => _lists[(int)List.Small].Count + _lists[(int)List.Main].Count;

    /// <summary>Whether the size of an entry counts when it is to stay; see <see cref="UsualSize"/>.</summary>
    public bool CountsSizes { get; set; } = true;

    /// <summary>Whether its entries ever took more than the capacity.</summary>
    public bool HasEvicted { get; private set; }

    /// <summary>The nodes that it has memory for: of entries, of ghosts, and free.</summary>
    public int NodeCount => _nodes.Length;

    private long SizeBytes => _lists[(int)List.Small].SizeBytes + _lists[(int)List.Main].SizeBytes;

    /// <summary>Sets the small list's share, which no longer follows the keys.</summary>
    public void ChooseShare(double share) => _share.Choose(share);

    /// <summary>Whether a key has an entry, which is used thereby.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="nowMs">The time of the store's clock.</param>
    /// <param name="isMiss">
    /// Whether the store had none: the application then writes it, which it would not do here. That is no use.
    /// </param>
    public bool Read(ulong hash, long nowMs, bool isMiss = false)
    {
        int index = Find(hash);
        if (index == Nothing || _nodes[index].List == List.Ghosts)
            return false;
        ref var node = ref _nodes[index];
        if (IsExpired(node, nowMs))
        {
            Drop(index);
            return false;
        }

        if (node.Entry.SlidingMs != 0)
            node.Entry = node.Entry.Renewed(nowMs);
        node.Frequency = (byte)Math.Min(FrequencyMax, node.Frequency + 1);
        node.IsWrittenNext = isMiss;
        return true;
    }

    /// <summary>Writes a key's entry, and evicts what is then too much.</summary>
    public void Write(ulong hash, in SampledEntry entry)
    {
        // One that is larger than all has no place here, nor in the store if this is as large. In a store that is a
        // thousand times as large it is a part: the others stay, as they do there.
        if (entry.SizeBytes > CapacityBytes)
        {
            Remove(hash);
            return;
        }

        int index = Find(hash);
        if (index != Nothing && _nodes[index].List != List.Ghosts)
            Replace(index, entry);
        else
            Add(index, hash, entry);
        while (SizeBytes > CapacityBytes)
        {
            HasEvicted = true;
            Evict();
        }

        while (Count > _entriesMax)
            Evict();
    }

    /// <summary>Removes a key's entry.</summary>
    public void Remove(ulong hash)
    {
        int index = Find(hash);
        if (index != Nothing && _nodes[index].List != List.Ghosts)
            Drop(index);
    }

    /// <summary>Removes all entries of some keyspaces, one bit for each.</summary>
    public void Clear(uint keyspaces) => DropAll(node => (keyspaces >> node.Entry.Keyspace & 1) != 0);

    /// <summary>Removes what has expired: in the store it takes no room either.</summary>
    public void DropExpired(long nowMs) => DropAll(node => IsExpired(node, nowMs));

    /// <summary>Forgets all keys but a part, one of 2^shift.</summary>
    public void Keep(int shift) => DropAll(node => !AccessSamples.IsSampled(node.Hash, shift));

    private static bool IsExpired(in Node node, long nowMs) =>
        node.Entry.ExpiresAtMs != 0 && node.Entry.ExpiresAtMs <= nowMs;

    private void Empty()
    {
        Array.Fill(_chains, Nothing);
        Array.Fill(_lists, NodeList.Empty);
        _unused = 0;
    }

    private void Replace(int index, in SampledEntry entry)
    {
        ref var node = ref _nodes[index];
        var list = node.List;
        byte frequency = (byte)Math.Min(FrequencyMax, node.Frequency + (node.IsWrittenNext ? 0 : 1));
        node.IsWrittenNext = false;
        if (IsInPlace(node.Entry.SizeBytes, entry.SizeBytes))
        {
            _lists[(int)list].SizeBytes += entry.SizeBytes - node.Entry.SizeBytes;
            node.Entry = entry;
        }
        else
        {
            Unlink(index); // A longer value is appended to the same list.
            node.Entry = entry;
            Link(index, list);
        }

        node.Frequency = frequency;
    }

    // As the store overwrites values in place that fit their record.
    private static bool IsInPlace(long before, long after) => after <= before && before - after <= before / 4;

    private void Add(int ghost, ulong hash, in SampledEntry entry)
    {
        var list = List.Small;
        int index = ghost;
        if (ghost != Nothing)
        {
            _share.Learn(_nodes[ghost].WasInMain, (double)entry.SizeBytes / Math.Max(1, CapacityBytes));
            Unlink(ghost);
            list = List.Main;
        }
        else
        {
            if (Count + _lists[(int)List.Ghosts].Count >= 2 * _entriesMax)
                Drop(_lists[(int)List.Ghosts].Oldest); // For one node more the tables would double.
            index = Take();
            _nodes[index].Hash = hash;
            ref int chain = ref ChainOf(hash);
            _nodes[index].NextInChain = chain;
            chain = index;
        }

        _nodes[index].Entry = entry;
        _nodes[index].Frequency = 0;
        _nodes[index].IsWrittenNext = false;
        Link(index, list);
    }

    private void Evict()
    {
        Debug.Assert(Count > 0);
        ref var small = ref _lists[(int)List.Small];
        bool isSmall = small.Count > 0
            && (_lists[(int)List.Main].Count == 0 || small.SizeBytes > SizeBytes * _share.Value);
        int index = _lists[(int)(isSmall ? List.Small : List.Main)].Oldest;
        ref var node = ref _nodes[index];
        Unlink(index);
        int more = _usualSize.Look(CountsSizes ? node.Entry.CountedBytes : 0);
        int promotion = Math.Clamp(_promotionThreshold + more, 1, FrequencyMax);
        bool stays = isSmall ? node.Frequency >= promotion : node.Frequency > Math.Max(0, more);
        node.WasInMain = !isSmall;
        node.Frequency = (byte)(isSmall ? 0 : Math.Max(0, node.Frequency - 1));
        if (stays)
        {
            Link(index, List.Main);
            return;
        }

        node.Entry = default;
        Link(index, List.Ghosts);
        while (_lists[(int)List.Ghosts].Count > Math.Max(1, Count))
            Drop(_lists[(int)List.Ghosts].Oldest);
    }

    private int Find(ulong hash)
    {
        int index = ChainOf(hash);
        while (index != Nothing && _nodes[index].Hash != hash)
            index = _nodes[index].NextInChain;
        return index;
    }

    // The upper bits: those of the sample are the same in all.
    private ref int ChainOf(ulong hash) => ref _chains[(int)(hash >> 32) & (_chains.Length - 1)];

    private void Drop(int index)
    {
        ref int link = ref ChainOf(_nodes[index].Hash);
        while (link != index)
            link = ref _nodes[link].NextInChain;
        link = _nodes[index].NextInChain;
        Unlink(index);
        _nodes[index].Entry = default;
        Link(index, List.Free);
    }

    private void DropAll(Predicate<Node> condition)
    {
        for (int i = 0; i < _unused; i++)
        {
            if (_nodes[i].List != List.Free && condition(_nodes[i]))
                Drop(i);
        }
    }

    private int Take()
    {
        int free = _lists[(int)List.Free].Oldest;
        if (free != Nothing)
        {
            Unlink(free);
            return free;
        }

        if (_unused == _nodes.Length)
            Grow();
        return _unused++;
    }

    private void Grow()
    {
        Array.Resize(ref _nodes, _nodes.Length * 2);
        _chains = new int[_nodes.Length];
        Array.Fill(_chains, Nothing);
        for (int i = 0; i < _unused; i++)
        {
            if (_nodes[i].List == List.Free)
                continue;
            ref int chain = ref ChainOf(_nodes[i].Hash);
            _nodes[i].NextInChain = chain;
            chain = i;
        }
    }

    private void Link(int index, List list)
    {
        ref var target = ref _lists[(int)list];
        ref var node = ref _nodes[index];
        node.List = list;
        node.Older = target.Newest;
        node.Newer = Nothing;
        if (target.Newest == Nothing)
            target.Oldest = index;
        else
            _nodes[target.Newest].Newer = index;
        target.Newest = index;
        target.Count++;
        target.SizeBytes += node.Entry.SizeBytes;
    }

    private void Unlink(int index)
    {
        ref var node = ref _nodes[index];
        ref var list = ref _lists[(int)node.List];
        if (node.Older == Nothing)
            list.Oldest = node.Newer;
        else
            _nodes[node.Older].Newer = node.Newer;
        if (node.Newer == Nothing)
            list.Newest = node.Older;
        else
            _nodes[node.Newer].Older = node.Older;
        list.Count--;
        list.SizeBytes -= node.Entry.SizeBytes;
        Debug.Assert(list.Count >= 0 && list.SizeBytes >= 0, "What leaves a list was counted in it.");
    }

    private struct Node
    {
        public ulong Hash;
        public SampledEntry Entry; // Of a ghost, nothing.
        public int Older;
        public int Newer;
        public int NextInChain;
        public List List;
        public byte Frequency;
        public bool WasInMain;
        public bool IsWrittenNext;
    }

    private struct NodeList
    {
        public static readonly NodeList Empty = new() { Oldest = Nothing, Newest = Nothing };

        public int Oldest;
        public int Newest;
        public int Count;
        public long SizeBytes;
    }
}
