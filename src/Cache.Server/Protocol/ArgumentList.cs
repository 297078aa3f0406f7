using System.Diagnostics;

namespace Cache.Server.Protocol;

/// <summary>The arguments of one request, growing as they are met, never by what a header declares.</summary>
internal sealed class ArgumentList
{
    // Enough for most commands; grown by doubling.
    private const int InitialCount = 8;

    // What an unusually long request made is kept up to here (8 KB) and given back beyond.
    private const int KeptCountMax = 1024;

    private ArgumentRange[] _items = new ArgumentRange[InitialCount];

    public int Count { get; private set; }

    public ReadOnlySpan<ArgumentRange> Items => _items.AsSpan(0, Count);

    public void Add(ArgumentRange argument)
    {
        Debug.Assert(argument.Length >= 0);
        if (Count == _items.Length)
            Array.Resize(ref _items, Count * 2);
        _items[Count++] = argument;
    }

    public void Clear()
    {
        Count = 0;
        if (_items.Length > KeptCountMax)
            _items = new ArgumentRange[InitialCount];
    }
}
