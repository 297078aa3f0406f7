using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>Writes a stream into an RDB file, as Redis 7.0 does; see <see cref="RdbStreams"/>.</summary>
/// <remarks>
/// Its methods are called in the file's order. The number of nodes comes first: <see cref="RdbStreamNodes"/> tells it.
/// </remarks>
internal sealed class RdbStreamWriter(RdbWriter writer)
{
    private const int IdLength = 16;
    private const int FlagSameFields = 2;
    private const int FixedParts = 3;

    private readonly RdbListpackWriter _pack = new();
    private readonly List<byte[]> _names = [];
    private RdbStreamNodes _nodes;
    private RdbStreamId _first;
    private int _count;

    /// <summary>Whether there is more than the writer takes.</summary>
    public bool IsFull => writer.IsFull;

    public void Begin(in RdbEntry entry, long nodes)
    {
        writer.WriteHead(entry, RdbType.Stream2);
        writer.WriteNumber((ulong)nodes);
        (_nodes, _count) = (default, 0);
    }

    /// <summary>Writes an entry.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="names">The names of its fields.</param>
    /// <param name="values">Their values.</param>
    public void WriteEntry(RdbStreamId id, RdbElements names, RdbElements values)
    {
        int fields = (int)names.Count;
        if (_nodes.BeginsNode(names, values))
        {
            EndNode();
            BeginNode(id, names);
        }

        bool isSame = fields == _names.Count;
        for (int i = 0; i < fields && isSame; i++)
            isSame = names[i].SequenceEqual(_names[i]);
        _pack.Add(isSame ? FlagSameFields : 0);
        _pack.Add(unchecked((long)(id.Milliseconds - _first.Milliseconds)));
        _pack.Add(unchecked((long)(id.Sequence - _first.Sequence)));
        if (!isSame)
            _pack.Add(fields);
        for (int i = 0; i < fields; i++)
        {
            if (!isSame)
                _pack.Add(names[i]);
            _pack.Add(values[i]);
        }

        _pack.Add(FixedParts + fields + (isSame ? 0 : fields + 1));
        _count++;
    }

    /// <summary>Ends the entries; groups follow.</summary>
    public void WriteHead(in RdbStreamHead head, long groups)
    {
        EndNode();
        writer.WriteNumber((ulong)head.Length);
        WriteId(head.Last);
        WriteId(head.First);
        WriteId(head.MaxRemoved);
        writer.WriteNumber((ulong)head.Added);
        writer.WriteNumber((ulong)groups);
    }

    /// <summary>Begins a group; what is pending follows, then its consumers, each with what is pending of it.</summary>
    public void WriteGroup(ReadOnlySpan<byte> name, RdbStreamId last, long? entriesRead)
    {
        writer.WriteText(name);
        WriteId(last);
        writer.WriteNumber((ulong)(entriesRead ?? -1));
    }

    /// <summary>Writes how many follow: pending entries, consumers, or pending ones of the last consumer.</summary>
    public void WriteCount(long count) => writer.WriteNumber((ulong)count);

    public void WritePending(RdbStreamId id, long deliveredMs, long deliveries)
    {
        WriteRawId(id);
        writer.WriteMoment(deliveredMs);
        writer.WriteNumber((ulong)deliveries);
    }

    public void WriteConsumer(ReadOnlySpan<byte> name, long seenMs)
    {
        writer.WriteText(name);
        writer.WriteMoment(seenMs);
    }

    public void WriteRawId(RdbStreamId id)
    {
        Span<byte> bytes = stackalloc byte[IdLength];
        Write(bytes, id);
        writer.WriteRaw(bytes);
    }

    private void BeginNode(RdbStreamId first, RdbElements names)
    {
        (_first, _count) = (first, 0);
        _names.Clear();
        _pack.Clear();
        _pack.Add(0); // The number of entries, in the end.
        _pack.Add(0);
        _pack.Add((int)names.Count);
        for (int i = 0; i < names.Count; i++)
        {
            _names.Add(names[i].ToArray());
            _pack.Add(names[i]);
        }

        _pack.Add(0);
    }

    private void EndNode()
    {
        if (_count == 0)
            return;
        Span<byte> key = stackalloc byte[IdLength];
        Write(key, _first);
        _pack.SetFirst(_count);
        writer.WriteBytes(key);
        writer.WriteBytes(_pack.Complete());
        _count = 0;
    }

    private void WriteId(RdbStreamId id)
    {
        writer.WriteNumber(id.Milliseconds);
        writer.WriteNumber(id.Sequence);
    }

    private static void Write(Span<byte> at, RdbStreamId id)
    {
        BinaryPrimitives.WriteUInt64BigEndian(at, id.Milliseconds);
        BinaryPrimitives.WriteUInt64BigEndian(at[sizeof(ulong)..], id.Sequence);
    }
}
