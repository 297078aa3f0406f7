using System.Buffers;
using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>
/// Strings that are taken under locks and handed to sinks after unlocking: no sink is called under a lock.
/// </summary>
/// <remarks>
/// A large value is taken by reference; others are copied, which is a bounded step. Used by the last attempt of an
/// operation whose reads without a lock failed, so it may allocate.
/// </remarks>
internal sealed class TakenValues(SharedState state) : IDisposable
{
    private const int CopiesInitially = 4096;

    private readonly List<Taken> _values = [];
    private byte[] _copies = ArrayPool<byte>.Shared.Rent(CopiesInitially);

    public int Count => _values.Count;

    /// <summary>The bytes that were copied.</summary>
    public int CopiedBytes { get; private set; }

    /// <summary>Takes what a locked entry holds; what is absent, or no string, is remembered as absent.</summary>
    public void Take(in EntryLock entry)
    {
        entry.AssertHeld();
        if (!entry.IsFound || entry.IsOtherKind)
        {
            _values.Add(default);
            return;
        }

        if (entry.Header.IsLarge)
        {
            _values.EnsureCapacity(_values.Count + 1); // What is referenced is remembered.
            state.Lend(entry.Block);
            _values.Add(new Taken(true, entry.Block, 0, entry.Block.Length));
            return;
        }

        int length = entry.ValueLength;
        if (_copies.Length - CopiedBytes < length)
            Grow(length);
        var copy = _copies.AsSpan(CopiedBytes, length);
        if (entry.Header.IsCompressed)
            state.Packer.Unpack(entry.StoredValue, copy);
        else
            entry.StoredValue.CopyTo(copy);
        _values.Add(new Taken(true, default, CopiedBytes, length));
        CopiedBytes += length;
    }

    public bool Exists(int index) => _values[index].Exists;

    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            var value = _values[index];
            Debug.Assert(value.Exists);
            return value.Block.IsNull
                ? _copies.AsSpan(value.Offset, value.Length)
                : value.Block.Value[..value.Length];
        }
    }

    /// <summary>Forgets all values.</summary>
    public void Clear()
    {
        foreach (var value in _values)
        {
            if (!value.Block.IsNull)
                state.Return(value.Block);
        }

        _values.Clear();
        CopiedBytes = 0;
    }

    public void Dispose()
    {
        Clear();
        ArrayPool<byte>.Shared.Return(_copies);
        _copies = [];
    }

    private void Grow(int length)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(_copies.Length * 2, CopiedBytes + length));
        _copies.AsSpan(0, CopiedBytes).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_copies);
        _copies = larger;
        Debug.Assert(_copies.Length - CopiedBytes >= length);
    }

    private readonly record struct Taken(bool Exists, LargeBlock Block, int Offset, int Length);
}
