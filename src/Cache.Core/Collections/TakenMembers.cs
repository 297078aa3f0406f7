using System.Buffers.Binary;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections;

/// <summary>Elements that a write removed, or that a read found, for the caller; dispose it.</summary>
/// <remarks>
/// Each is its length in four bytes, its score in eight, and its bytes. Of a long one there is a
/// reference to its block, and the complement of that one's number instead of the length. One for each thread; a sink
/// that asks the store in turn gets another one.
/// </remarks>
internal sealed class TakenMembers : IDisposable
{
    private const int HeadSize = sizeof(int) + sizeof(double);
    private const int InitialBytes = 4096;

    // A longer one is not kept for the next use.
    private const int KeptBytesMax = 256 << 10;

    [ThreadStatic]
    private static TakenMembers? _cached;

    // Blocks with long elements, and where each is among the bytes.
    private readonly List<(int At, LongElements Owner, ElementStub Stub)> _lent = [];

    private byte[] _bytes = new byte[InitialBytes];
    private int _length;
    private long _lentBytes;

    private TakenMembers()
    {
    }

    public int Count { get; private set; }

    public static TakenMembers Rent()
    {
        var taken = _cached ?? new TakenMembers();
        _cached = null;
        taken.Clear();
        return taken;
    }

    /// <summary>Forgets all: the write begins anew.</summary>
    public void Clear() => Truncate(default);

    /// <summary>The bytes that all take.</summary>
    public long Bytes => _length + _lentBytes;

    /// <summary>Where the next element begins.</summary>
    public (int Count, int Length) End => (Count, _length);

    /// <summary>Forgets what came behind an end: a step begins anew.</summary>
    public void Truncate((int Count, int Length) end)
    {
        (Count, _length) = end;
        while (_lent.Count != 0 && _lent[^1].At >= _length)
        {
            var (_, owner, stub) = _lent[^1];
            _lent.RemoveAt(_lent.Count - 1);
            _lentBytes -= stub.Length;
            owner.Return(stub.Block);
        }
    }

    /// <summary>Adds an element of a list, or a member; the caller holds the collection.</summary>
    public void Add(scoped in ObjectView view, scoped in TreeEntry entry, double score = 0)
    {
        if (entry.IsNameStub)
            AddLong(view.LongElements, ElementStub.Read(ElementStub.EndOf(entry.Name)), score);
        else
            Add(entry.Name, score);
    }

    public void Add(scoped ReadOnlySpan<byte> member, double score)
    {
        int size = checked(HeadSize + member.Length);
        if (_bytes.Length - _length < size)
        {
            long length = Math.Max(2L * _bytes.Length, (long)_length + size);
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, length));
        }

        var room = _bytes.AsSpan(_length);
        BinaryPrimitives.WriteInt32LittleEndian(room, member.Length);
        BinaryPrimitives.WriteDoubleLittleEndian(room[sizeof(int)..], score);
        member.CopyTo(room[HeadSize..]);
        _length += size;
        Count++;
    }

    /// <summary>Reads the element at a position, 0 at first, and moves the position behind it.</summary>
    /// <returns>False at the end.</returns>
    public bool TryMoveNext(ref int position, out ReadOnlySpan<byte> member, out double score)
    {
        member = default;
        score = 0;
        if (position == _length)
            return false;
        var rest = _bytes.AsSpan(position, _length - position);
        int length = BinaryPrimitives.ReadInt32LittleEndian(rest);
        score = BinaryPrimitives.ReadDoubleLittleEndian(rest[sizeof(int)..]);
        bool isLong = length < 0;
        member = isLong ? _lent[~length].Stub.Value : rest.Slice(HeadSize, length);
        position += HeadSize + (isLong ? 0 : length);
        return true;
    }

    public void Dispose()
    {
        Clear();
        if (_bytes.Length <= KeptBytesMax)
            _cached = this;
    }

    private void AddLong(LongElements owner, ElementStub stub, double score)
    {
        _lent.EnsureCapacity(_lent.Count + 1);
        int at = _length;
        Add(default, score);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(at), ~_lent.Count);
        owner.Lend(stub.Block);
        _lent.Add((at, owner, stub));
        _lentBytes += stub.Length;
    }
}
