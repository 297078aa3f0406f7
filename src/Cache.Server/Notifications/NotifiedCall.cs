using Cache.Core;
using Cache.Core.Changes;

namespace Cache.Server.Notifications;

/// <summary>The call of a command while its changes are told; used by its thread.</summary>
internal sealed class NotifiedCall
{
    private readonly EventPlan _plan;

    private readonly CacheStore _keyspace;

    // The first key, where it matters; where something moves, that which it comes from.
    private readonly byte[]? _first;

    // Of a command that moves something: the events that are held until both keys are known.
    private readonly List<Held>? _held;

    // The keys that were told of; null: none, or it does not matter.
    private List<byte[]>? _told;

    /// <param name="owner">Takes the events.</param>
    /// <param name="plan">The events that are meant.</param>
    /// <param name="first">The first key, if the plan needs it.</param>
    /// <param name="keyspace">The keyspace of its keys.</param>
    /// <param name="outer">The call within which it is made.</param>
    public NotifiedCall(
        KeyspaceNotifier owner, EventPlan plan, byte[]? first, CacheStore keyspace, NotifiedCall? outer)
    {
        Owner = owner;
        _keyspace = keyspace;
        Outer = outer;
        _plan = plan;
        if (plan.Source is not null)
            _held = [];
        _first = first;
    }

    public KeyspaceNotifier Owner { get; }

    /// <summary>The call within which it is made; null: none.</summary>
    public NotifiedCall? Outer { get; }

    /// <summary>Takes a change. Under the lock of its key.</summary>
    public void Note(in ChangeNote note)
    {
        if (_plan.Source is { } source && note.Key.SequenceEqual(_first)
            && (source.Written is not null || note.Kind == ChangeKind.Remove))
        {
            Tell(source, note, _plan.IsSourceFirst ? Order.Early : Order.Late);
        }
        else
        {
            Tell(_plan, note, Order.Middle);
        }
    }

    /// <summary>
    /// Tells the events of a command that moves something, in Redis's order, and what is told without a change.
    /// </summary>
    public void TellRest()
    {
        if (_plan.IsInAnyCase && _told is null && IsList(_first))
            Owner.Add(_keyspace.Keyspace, _plan.Written, _first);
        if (_held is null)
            return;
        for (var order = Order.First; order <= Order.Late; order++)
        {
            foreach (var (at, keyspace, one, key) in _held)
            {
                if (at == order)
                    Owner.Add(keyspace, one, key);
            }
        }
    }

    private bool IsList(ReadOnlySpan<byte> key) =>
        _keyspace.TryPeekInfo(key, out var info) && info.Kind == EntryKind.List;

    private void Tell(EventPlan plan, in ChangeNote note, Order order)
    {
        switch (note.Kind)
        {
            case ChangeKind.Remove:
                if (plan.BeforeRemoval is { } before && !WasTold(plan, note.Key))
                    Add(order, note, before);
                Add(order, note, plan.Removed);
                break;
            case ChangeKind.Expire:
                Add(order, note, plan.Expiry ?? plan.Written);
                break;
            default:
                if (plan.Written is null || WasTold(plan, note.Key))
                    break;
                if (!note.IsReplaced || plan.IsAlwaysNew)
                    Add(plan.Source is { Written: null } ? Order.First : order, note, KeyEvent.New);
                Add(order, note, plan.Written);
                Add(order, note, plan.Then);
                break;
        }
    }

    private bool WasTold(EventPlan plan, ReadOnlySpan<byte> key)
    {
        if (!plan.IsOnce)
            return false;
        foreach (byte[] told in _told ?? [])
        {
            if (key.SequenceEqual(told))
                return true;
        }

        (_told ??= []).Add(key.ToArray());
        return false;
    }

    private void Add(Order order, in ChangeNote note, KeyEvent? one)
    {
        if (_held is null)
            Owner.Add(note.Keyspace, one, note.Key);
        else if (one is not null)
            _held.Add(new Held(order, note.Keyspace, one, note.Key.ToArray()));
    }

    // Where an event of such a command stands among the others.
    private enum Order
    {
        First,
        Early,
        Middle,
        Late,
    }

    private readonly record struct Held(Order At, int Keyspace, KeyEvent Event, byte[] Key);
}
