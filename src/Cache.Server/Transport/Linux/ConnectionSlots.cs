using System.Collections;
using System.Diagnostics;

namespace Cache.Server.Transport.Linux;

/// <summary>A loop's connections by numbers that are not soon reused.</summary>
/// <remarks>
/// <code>
///         0       32                63
///  number | slot  | uses, never 0   | 0 |
/// </code>
/// An event carries the number; if its connection is gone, the slot is empty or has another number. Used by one thread.
/// </remarks>
internal sealed class ConnectionSlots : IEnumerable<EpollConnection>
{
    private const int UsesShift = 32;
    private const ulong UsesMax = int.MaxValue;

    private readonly Stack<int> _free = new();
    private (ulong Number, EpollConnection? Connection)[] _slots = new (ulong, EpollConnection?)[16];
    private int _end;
    private ulong _uses;

    public int Count => _end - _free.Count;

    /// <summary>Gives a connection a number.</summary>
    public ulong Add(EpollConnection connection)
    {
        if (!_free.TryPop(out int slot))
            slot = _end++;
        if (slot == _slots.Length)
            Array.Resize(ref _slots, 2 * _slots.Length);
        _uses = _uses % UsesMax + 1;
        ulong number = (_uses << UsesShift) | (uint)slot;
        Debug.Assert(number is not 0 and <= long.MaxValue && _slots[slot].Connection is null);
        _slots[slot] = (number, connection);
        return number;
    }

    /// <summary>The connection of a number; null if it is gone.</summary>
    public EpollConnection? Find(ulong number)
    {
        var slots = _slots;
        uint slot = (uint)number;
        return slot < (uint)slots.Length && slots[slot].Number == number ? slots[slot].Connection : null;
    }

    /// <summary>Forgets a connection, if it is not gone yet.</summary>
    public void Remove(ulong number)
    {
        if (Find(number) is null)
            return;
        int slot = (int)(uint)number;
        _slots[slot] = default;
        _free.Push(slot);
    }

    public IEnumerator<EpollConnection> GetEnumerator()
    {
        for (int i = 0; i < _end; i++)
        {
            if (_slots[i].Connection is { } connection)
                yield return connection;
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
