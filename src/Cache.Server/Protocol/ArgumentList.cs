using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cache.Server.Protocol;

/// <summary>The arguments of one request. Grows with the arguments that are found, never by a declared count.</summary>
internal sealed class ArgumentList
{
    // Enough for most commands; grown by doubling.
    private const int InitialCount = 8;

    // After an unusually long request, up to this many (8 KB) are kept.
    private const int KeptCountMax = 1024;

    // More are in native memory (from 64 KB on), which counts as the client's and leaves no dead arrays.
    private const int ManagedCountMax = 8 * 1024;

    private const int ItemBytes = 2 * sizeof(int);

    // Empty while the items are in native memory.
    private ArgumentRange[] _items = new ArgumentRange[InitialCount];
    private NativeBytes? _many;

    public int Count { get; private set; }

    public ReadOnlySpan<ArgumentRange> Items => _many is null ? _items.AsSpan(0, Count) : Many[..Count];

    /// <summary>The memory of the items of an unusually long request; 0 for others.</summary>
    public int MemoryBytes => _many is null ? 0 : Count * ItemBytes;

    private Span<ArgumentRange> Many => MemoryMarshal.Cast<byte, ArgumentRange>(_many!.Span);

    public void Add(ArgumentRange argument)
    {
        Debug.Assert(argument.Length >= 0);
        if (Count < _items.Length)
            _items[Count++] = argument;
        else
            AddSlow(argument);
    }

    public void Clear()
    {
        Count = 0;
        if (_many is null && _items.Length <= KeptCountMax)
            return;
        _many?.Dispose();
        _many = null;
        _items = new ArgumentRange[InitialCount];
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare: most requests have few arguments.
    private void AddSlow(ArgumentRange argument)
    {
        Debug.Assert(Count > 0);
        if (_many is null && Count < ManagedCountMax)
        {
            Array.Resize(ref _items, Count * 2);
            _items[Count++] = argument;
            return;
        }

        if (_many is null)
            MoveOut();
        else if (Count == Many.Length)
            _many.Grow(_many.Length * 2);
        Many[Count++] = argument;
    }

    private void MoveOut()
    {
        var many = new NativeBytes(2 * Count * ItemBytes);
        _many = many;
        Debug.Assert(Many.Length == 2 * Count);
        _items.CopyTo(Many);
        _items = [];
    }
}
