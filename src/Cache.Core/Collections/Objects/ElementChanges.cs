using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Core.Collections.Objects;

/// <summary>What a write makes of some elements: first planned, then recorded and made.</summary>
/// <remarks>One for each thread; a write adds no more than a step's.</remarks>
internal sealed class ElementChanges
{
    /// <summary>So many elements are changed in one step, under one lock: less than a tenth of a millisecond.</summary>
    public const int CountMax = 128;

    // A longer one is not kept for the next write.
    private const int KeptBytesMax = 256 << 10;
    private const int InitialBytes = 4096;

    [ThreadStatic]
    private static ElementChanges? _cached;

    // Behind the prefix of a whole collection, so that the changes of an empty one are one.
    private byte[] _bytes = new byte[InitialBytes];
    private int _length = ElementReader.PrefixSize;

    public int Count { get; private set; }

    /// <summary>How many of them remove an element.</summary>
    public int DropCount { get; private set; }

    /// <summary>The longest name with its value.</summary>
    public int LongestBytes { get; private set; }

    /// <summary>All of them, as an <see cref="ElementReader"/> reads them.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(ElementReader.PrefixSize, _length - ElementReader.PrefixSize);

    /// <summary>The same as what a file has of a collection that has these elements alone.</summary>
    public ReadOnlySpan<byte> StoredBytes => _bytes.AsSpan(0, _length);

    public static ElementChanges Rent()
    {
        var changes = _cached ?? new ElementChanges();
        _cached = null;
        Debug.Assert(changes.Count == 0);
        return changes;
    }

    public void Return()
    {
        Clear();
        if (_bytes.Length <= KeptBytesMax)
            _cached = this;
    }

    public void Clear() => (_length, Count, DropCount, LongestBytes) = (ElementReader.PrefixSize, 0, 0, 0);

    public void Put(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => Add(ElementAction.Put, name, value);

    public void Drop(ReadOnlySpan<byte> name)
    {
        Add(ElementAction.Drop, name, default);
        DropCount++;
    }

    /// <summary>Finds what a name was given last; of a few.</summary>
    /// <returns>False if it is not among them; one that is dropped is not looked for.</returns>
    public bool TryFindLast(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        value = default;
        bool isFound = false;
        for (var each = new ElementReader(Bytes); each.TryRead();)
        {
            if (!each.Name.SequenceEqual(name))
                continue;
            isFound = true;
            value = each.Value;
        }

        return isFound;
    }

    /// <summary>How many different names are dropped, where nothing is put; of a few.</summary>
    public int CountDropped()
    {
        if (DropCount != Count)
            return 0;
        int count = 0;
        var each = new ElementReader(Bytes);
        for (int i = 0; each.TryRead(); i++)
        {
            var before = new ElementReader(Bytes);
            bool isRepeated = false;
            for (int j = 0; j < i && !isRepeated && before.TryRead(); j++)
                isRepeated = before.Name.SequenceEqual(each.Name);
            count += isRepeated ? 0 : 1;
        }

        return count;
    }

    /// <summary>Writes one as it is read.</summary>
    /// <returns>The bytes that it takes.</returns>
    public static int Write(Span<byte> at, ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        at[0] = (byte)action;
        BinaryPrimitives.WriteInt32LittleEndian(at[1..], name.Length);
        BinaryPrimitives.WriteInt32LittleEndian(at[(1 + sizeof(int))..], value.Length);
        name.CopyTo(at[ElementReader.HeaderSize..]);
        value.CopyTo(at[(ElementReader.HeaderSize + name.Length)..]);
        return ElementReader.HeaderSize + name.Length + value.Length;
    }

    private void Add(ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        int size = checked(ElementReader.HeaderSize + name.Length + value.Length);
        LongestBytes = Math.Max(LongestBytes, size - ElementReader.HeaderSize);
        Count++;
        if (!ElementWriter.Fits(LongestBytes)) // All are refused: it may be as long as a request.
            return;
        if (_bytes.Length - _length < size)
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, checked(_length + size)));
        _length += Write(_bytes.AsSpan(_length), action, name, value);
    }
}
