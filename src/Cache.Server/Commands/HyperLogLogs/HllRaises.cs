using System.Buffers;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>
/// What some elements raise, in their order; of many, what an earlier one has raised as far is left out.
/// </summary>
/// <remarks>So each element is hashed once, however often the write is tried, and a write's work is bounded.</remarks>
internal ref struct HllRaises : IDisposable
{
    private const int ValueBits = 6;
    private const int CapacityMin = 16;

    // So few are applied sooner than all registers are cleared.
    private const int FewMax = 64;

    // Empty where there are few elements.
    private byte[] _raised = [];
    private int[] _items;
    private int _count;

    /// <summary>Without elements yet, of which there will be a number.</summary>
    public HllRaises(int count)
    {
        _items = ArrayPool<int>.Shared.Rent(CapacityMin);
        if (count <= FewMax)
            return;
        _raised = ArrayPool<byte>.Shared.Rent(HllFormat.Registers);
        _raised.AsSpan(0, HllFormat.Registers).Clear();
    }

    public readonly ReadOnlySpan<int> Items => _items.AsSpan(0, _count);

    public static (int Index, int Value) Unpack(int item) => (item >> ValueBits, item & ((1 << ValueBits) - 1));

    public void Add(scoped ReadOnlySpan<byte> element)
    {
        var (index, value) = HllHash.Of(element);
        if (_raised.Length > 0)
        {
            if (_raised[index] >= value)
                return;
            _raised[index] = (byte)value;
        }

        if (_count == _items.Length)
            Grow();
        _items[_count++] = index << ValueBits | value;
    }

    public void Dispose()
    {
        ArrayPool<int>.Shared.Return(_items);
        if (_raised.Length > 0)
            ArrayPool<byte>.Shared.Return(_raised);
        (_items, _raised, _count) = ([], [], 0);
    }

    private void Grow()
    {
        int[] larger = ArrayPool<int>.Shared.Rent(_items.Length * 2);
        _items.CopyTo(larger, 0);
        ArrayPool<int>.Shared.Return(_items);
        _items = larger;
    }
}
