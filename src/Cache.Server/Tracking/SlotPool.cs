using System.Diagnostics;

namespace Cache.Server.Tracking;

/// <summary>
/// Slots in one array, from 1, that lists link by number: the collector sees one object, without references.
/// </summary>
/// <remarks>Not thread-safe. A slot is in one list at a time, or free.</remarks>
/// <param name="valueBytes">The bytes of a value.</param>
internal sealed class SlotPool<T>(int valueBytes)
    where T : struct
{
    // Fewer would grow at once.
    private const int CapacityMin = 4;

    private T[] _slots = [];
    private int[] _next = [];
    private int _free;
    private int _top;

    /// <summary>The bytes of a slot.</summary>
    public int SlotBytes => valueBytes + sizeof(int);

    /// <summary>The slots that are in use.</summary>
    public int Count { get; private set; }

    /// <summary>The highest number that was ever used.</summary>
    public int Top => _top;

    /// <summary>The bytes of all slots, free ones too.</summary>
    public long CapacityBytes => (long)_slots.Length * SlotBytes;

    /// <summary>A slot by its number.</summary>
    public ref T this[int slot] => ref _slots[slot - 1];

    /// <summary>The link of a slot; 0: none.</summary>
    public ref int NextOf(int slot) => ref _next[slot - 1];

    /// <summary>Takes a slot, linked to another.</summary>
    public int Take(in T value, int next)
    {
        int slot = _free;
        if (slot != 0)
        {
            _free = NextOf(slot);
        }
        else
        {
            if (_top == _slots.Length)
                Grow();
            slot = ++_top;
        }

        Count++;
        this[slot] = value;
        NextOf(slot) = next;
        return slot;
    }

    /// <summary>Gives a slot back.</summary>
    /// <returns>The slot that it was linked to.</returns>
    public int GiveBack(int slot)
    {
        Debug.Assert(Count > 0 && slot > 0 && slot <= _top);
        int next = NextOf(slot);
        this[slot] = default;
        NextOf(slot) = _free;
        _free = slot;
        if (--Count == 0)
            Clear();
        return next;
    }

    /// <summary>Gives all slots and their memory back.</summary>
    public void Clear()
    {
        (_slots, _next) = ([], []);
        (_free, _top, Count) = (0, 0, 0);
    }

    private void Grow()
    {
        int capacity = Math.Max(_slots.Length * 2, CapacityMin);
        Array.Resize(ref _slots, capacity);
        Array.Resize(ref _next, capacity);
    }
}
