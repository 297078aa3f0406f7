using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Streams;

/// <summary>Entries that a read or a write of a stream found, for the caller; dispose it.</summary>
/// <remarks>
/// <code>
///  id 16 │ shape length 4 │ values length 4 │ shape │ values
/// </code>
/// Of a long entry there is a reference to its block, and the complement of that one's number instead of the length of
/// the shape. One without both was removed. One for each thread; a sink that asks the store in turn gets another one.
/// </remarks>
internal sealed class TakenEntries : IDisposable
{
    private const int HeadSize = StreamElement.IdSize + 2 * sizeof(int);
    private const int InitialBytes = 4096;

    // A longer one is not kept for the next use.
    private const int KeptBytesMax = 256 << 10;

    [ThreadStatic]
    private static TakenEntries? _cached;

    private readonly List<(int At, LongElements Owner, ElementStub Stub)> _lent = [];
    private byte[] _bytes = new byte[InitialBytes];
    private int _length;
    private long _lentBytes;

    private TakenEntries()
    {
    }

    public int Count { get; private set; }

    /// <summary>The bytes that all take.</summary>
    public long Bytes => _length + _lentBytes;

    /// <summary>Where the next entry begins.</summary>
    public (int Count, int Length) End => (Count, _length);

    public static TakenEntries Rent()
    {
        var taken = _cached ?? new TakenEntries();
        _cached = null;
        taken.Truncate(default);
        return taken;
    }

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

    /// <summary>Adds the entry of a cursor; a long one only where the caller holds the stream.</summary>
    public void Add(scoped in StreamView view, scoped in EntryCursor cursor)
    {
        if (!cursor.IsLong)
        {
            Add(cursor.Id, cursor.Shape, cursor.Values);
            return;
        }

        var owner = view.Object.LongElements;
        var stub = ElementStub.Read(cursor.Entry.Value);
        _lent.EnsureCapacity(_lent.Count + 1);
        int at = _length;
        Add(cursor.Id, default, default);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(at + StreamElement.IdSize), ~_lent.Count);
        owner.Lend(stub.Block);
        _lent.Add((at, owner, stub));
        _lentBytes += stub.Length;
    }

    /// <summary>Adds an entry; without a shape, one that is not there any more.</summary>
    public void Add(StreamId id, scoped ReadOnlySpan<byte> shape, scoped ReadOnlySpan<byte> values)
    {
        int size = checked(HeadSize + shape.Length + values.Length);
        if (_bytes.Length - _length < size)
        {
            long length = Math.Max(2L * _bytes.Length, (long)_length + size);
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, length));
        }

        var room = _bytes.AsSpan(_length);
        StreamElement.WriteId(room, id);
        BinaryPrimitives.WriteInt32LittleEndian(room[StreamElement.IdSize..], shape.Length);
        BinaryPrimitives.WriteInt32LittleEndian(room[(StreamElement.IdSize + sizeof(int))..], values.Length);
        shape.CopyTo(room[HeadSize..]);
        values.CopyTo(room[(HeadSize + shape.Length)..]);
        _length += size;
        Count++;
    }

    /// <summary>Tells all of them.</summary>
    public void Tell<TSink>(ref TSink sink)
        where TSink : struct, IStreamSink, allows ref struct
    {
        sink.Begin(Count);
        for (int at = 0; at < _length && !sink.IsFull;)
        {
            var rest = _bytes.AsSpan(at, _length - at);
            int shapeLength = BinaryPrimitives.ReadInt32LittleEndian(rest[StreamElement.IdSize..]);
            int valuesLength = BinaryPrimitives.ReadInt32LittleEndian(rest[(StreamElement.IdSize + sizeof(int))..]);
            var id = StreamElement.ReadId(rest);
            ReadOnlySpan<byte> shape = rest.Slice(HeadSize, Math.Max(0, shapeLength));
            ReadOnlySpan<byte> values = rest.Slice(HeadSize + shape.Length, valuesLength);
            at += HeadSize + shape.Length + values.Length;
            if (shapeLength < 0)
            {
                bool isSplit = StreamElement.TrySplit(_lent[~shapeLength].Stub.Value, out shape, out values);
                Debug.Assert(isSplit, "It was checked when it was stored.");
            }

            sink.Take(id, new StreamFields(shape, values));
        }
    }

    public void Dispose()
    {
        Truncate(default);
        if (_bytes.Length <= KeptBytesMax)
            _cached = this;
    }
}
