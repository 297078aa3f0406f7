using Cache.Core.Layout;

namespace Cache.Core.Collections.Streams;

/// <summary>Where a block of entries is copied and looked through; dispose it. One is kept for each thread.</summary>
internal sealed class EntryRoom : IDisposable
{
    // An entry takes four bytes at least.
    private const int EntriesMax = TreeEntry.LengthMax / 4;

    [ThreadStatic]
    private static EntryRoom? _cached;

    private EntryRoom()
    {
    }

    /// <summary>The block's bytes.</summary>
    public byte[] Block { get; } = new byte[TreeEntry.LengthMax];

    /// <summary>Where its entries begin.</summary>
    public ushort[] Starts { get; } = new ushort[EntriesMax];

    /// <summary>Where the shapes of its entries begin, with their lengths.</summary>
    public ushort[] Shapes { get; } = new ushort[EntriesMax];

    public static EntryRoom Rent()
    {
        var room = _cached ?? new EntryRoom();
        _cached = null;
        return room;
    }

    public void Dispose() => _cached = this;
}
