using System.Diagnostics;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>Which link the keys of a slot are read through; outside of a cluster one has all.</summary>
/// <remarks>
/// Concurrency: a read looks once, without a lock. Changes, and keeping what a link has read, are under the lock: so
/// after a slot was taken from a link nothing that it reads is kept any more, and the sweep that follows leaves nothing
/// of it. Invariant: a slot has an owner only while no entry of another owner is kept for it.
/// </remarks>
internal sealed class SlotOwners
{
    private readonly NearLink?[] _owners = new NearLink?[KeySlot.Count];
    private readonly NearLink?[] _routes = new NearLink?[KeySlot.Count];
    private volatile NearLink? _onlyOwner;

    /// <summary>Held while entries are kept, and while owners change.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The link that has all slots; null: it is a cluster, or nothing is known yet.</summary>
    public NearLink? OnlyOwner => _onlyOwner;

    /// <summary>The link for a key; null: none is known now.</summary>
    public NearLink? Of(ReadOnlySpan<byte> key) => _onlyOwner ?? Volatile.Read(ref _owners[KeySlot.Of(key)]);

    /// <summary>
    /// The link that a key is asked through: its owner, or the last one while it has none; it says where the key is.
    /// </summary>
    public NearLink? RouteOf(ReadOnlySpan<byte> key) => _onlyOwner ?? Volatile.Read(ref _routes[KeySlot.Of(key)]);

    public NearLink? OfSlot(int slot) => _onlyOwner ?? Volatile.Read(ref _owners[slot]);

    public void GiveAllTo(NearLink link) => _onlyOwner = link;

    /// <summary>Takes slots from whoever has them; none of their entries is kept from now on.</summary>
    public void Take(bool[] slots)
    {
        Debug.Assert(slots.Length == KeySlot.Count);
        lock (Gate)
        {
            for (int slot = 0; slot < slots.Length; slot++)
            {
                if (slots[slot])
                    Volatile.Write(ref _owners[slot], null);
            }
        }
    }

    /// <summary>Gives slots, which were taken and swept before.</summary>
    public void Give(bool[] slots, NearLink link)
    {
        Debug.Assert(slots.Length == KeySlot.Count);
        lock (Gate)
        {
            for (int slot = 0; slot < slots.Length; slot++)
            {
                if (!slots[slot])
                    continue;
                Volatile.Write(ref _routes[slot], link);
                Volatile.Write(ref _owners[slot], link);
            }
        }
    }
}
