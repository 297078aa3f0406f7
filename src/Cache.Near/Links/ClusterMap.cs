using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>The primaries of a cluster and the slots that each claims for itself.</summary>
/// <remarks>
/// A slot belongs to a link while its own primary says so. What primaries say of others only tells where further ones
/// are. Two that claim one slot, in a cluster that is cut in two, are not both believed: the one that is read from
/// stays until it stops to claim or its lease runs out. Concurrency: answers are applied one after the other.
/// </remarks>
internal sealed class ClusterMap(NearContext context) : IAsyncDisposable
{
    // A cluster of Redis has at most so many nodes by its makers' advice.
    private const int LinkCountMax = 1000;

    private readonly Lock _gate = new();
    private readonly Dictionary<ServerAddress, NearLink> _links = [];
    private readonly List<Task> _ending = [];
    private bool _isDisposed;

    public NearLink[] Links
    {
        get
        {
            lock (_gate)
                return [.. _links.Values];
        }
    }

    /// <summary>The link to an address, made if it is new; null: there are too many.</summary>
    public NearLink? LinkTo(ServerAddress address)
    {
        lock (_gate)
        {
            if (_links.TryGetValue(address, out var link) || _isDisposed || _links.Count == LinkCountMax)
                return link;
            link = new NearLink(context, new ClusterTarget(this, address));
            _links.Add(address, link);
            link.Start();
            return link;
        }
    }

    /// <summary>
    /// Drops the entries of the slots that a link has; the slots have no owner until the next answer.
    /// </summary>
    public void Forget(NearLink link)
    {
        lock (_gate)
            TakeAndSweep(SlotsOf(link));
    }

    /// <summary>Applies what a primary says of itself and of others.</summary>
    public void Apply(NearLink link, string nodeId, List<SlotRange> ranges)
    {
        lock (_gate)
        {
            if (_isDisposed)
                return;
            var claimed = new bool[KeySlot.Count];
            HashSet<ServerAddress> primaries = [];
            foreach (var range in ranges)
            {
                primaries.Add(range.Address);
                if (range.NodeId == nodeId)
                    claimed.AsSpan(range.First, range.Last - range.First + 1).Fill(true);
            }

            ChangeOwners(link, claimed);
            foreach (var address in primaries)
                LinkTo(address);
            EndOthers(link, primaries);
        }
    }

    public async ValueTask DisposeAsync()
    {
        NearLink[] links;
        Task[] ending;
        lock (_gate)
        {
            _isDisposed = true;
            links = [.. _links.Values];
            ending = [.. _ending];
        }

        foreach (var link in links)
            await link.DisposeAsync().ConfigureAwait(false);
        await Task.WhenAll(ending).ConfigureAwait(false);
    }

    private void ChangeOwners(NearLink link, bool[] claimed)
    {
        var changed = new bool[KeySlot.Count];
        var gained = new bool[KeySlot.Count];
        bool isChanged = false;
        for (int slot = 0; slot < KeySlot.Count; slot++)
        {
            var owner = context.Owners.OfSlot(slot);
            bool isLost = owner == link && !claimed[slot];
            gained[slot] = claimed[slot] && owner != link && owner?.IsLeased != true;
            changed[slot] = isLost || gained[slot];
            isChanged |= changed[slot];
        }

        if (!isChanged)
            return;
        TakeAndSweep(changed);
        context.Owners.Give(gained, link);
    }

    private void TakeAndSweep(bool[] slots)
    {
        context.Owners.Take(slots);
        context.Entries.Sweep(slots);
        context.Counters.AddClear();
    }

    private bool[] SlotsOf(NearLink link)
    {
        var slots = new bool[KeySlot.Count];
        for (int slot = 0; slot < slots.Length; slot++)
            slots[slot] = context.Owners.OfSlot(slot) == link;
        return slots;
    }

    // A node that a primary with slots does not name, and that has none itself, is a replica now, or gone.
    private void EndOthers(NearLink teller, HashSet<ServerAddress> primaries)
    {
        if (!Array.Exists(SlotsOf(teller), owns => owns))
            return;
        foreach (var (address, link) in _links.ToArray())
        {
            if (link == teller || primaries.Contains(address) || Array.Exists(SlotsOf(link), owns => owns))
                continue;
            _links.Remove(address);
            _ending.RemoveAll(static task => task.IsCompleted);
            _ending.Add(link.DisposeAsync().AsTask());
        }
    }
}
