using System.Buffers.Binary;
using System.Buffers.Text;
using System.Text;

namespace Cache.Durability.Rdb;

/// <summary>Reads streams, in the forms of Redis 5.0 to 7.2.</summary>
/// <remarks>
/// <code>
///  nodes │ (first id 16, listpack)* │ length │ last id │ [ first id │ greatest removed id │ added ]
///  groups │ (name │ last id │ [ read ] │ pending │ (id 16, delivered 8, how often)*
///            │ consumers │ (name │ seen 8 │ [ active 8 ] │ pending │ (id 16)*)*)*
///
///  listpack   count │ removed │ fields │ field* │ 0 │ entry*
///  entry      flags │ milliseconds behind the first │ sequence behind │ [ fields ] │ ([ field ] value)* │ parts
/// </code>
/// Each turn of a loop consumes at least one byte: no count causes more work than the length of the file. Source: Redis
/// 7.0's rdb.c and t_stream.c.
/// </remarks>
internal sealed class RdbStreams(RdbSource source, RdbStrings strings, RdbElements fields, IRdbStreamSink sink)
{
    private const int IdLength = 16;
    private const int FlagRemoved = 1;
    private const int FlagSameFields = 2;

    // Before the names of the fields, and behind each entry's flags.
    private const int HeadParts = 3;

    // The parts of a node's head: how many entries are there, how many were removed, how many names follow.
    private const int EntriesPart = 0;
    private const int RemovedPart = 1;
    private const int NamesPart = 2;

    // An entry is told with names that a node has once: without a bound, long names and many short entries would be
    // more work than any file has bytes. In all, so many times what a stream may have.
    private const int TellingsMax = 4;

    // To clear a larger table would take as long for each small group behind a large one.
    private const int KeptCapacityMax = 1024;

    private readonly RdbElements _parts = fields.ForPairs();
    private HashSet<string> _groups = [];
    private HashSet<string> _consumers = [];
    private Dictionary<RdbStreamId, (long Delivered, long Deliveries)> _pending = [];
    private byte[] _text = [];
    private long _length;
    private long _told;
    private RdbStreamId _first;
    private RdbStreamId _last;

    /// <summary>Whether it has more than the bounds allow: then not all of it was told.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>The memory that it has beside the fields.</summary>
    public long HeldBytes => _text.Length + _parts.HeldBytes;

    /// <summary>Forgets its memory.</summary>
    public void Trim()
    {
        (_text, _groups, _consumers, _pending) = ([], [], [], []);
        _parts.Trim();
    }

    /// <exception cref="RdbFormatException">It is damaged.</exception>
    public void Read(RdbType type)
    {
        sink.Begin();
        (_length, _told, _first, _last, IsTooLong) = (0, 0, default, default, false);
        for (long count = strings.ReadLength(); count > 0; count--)
            ReadNode();
        bool isSecond = type != RdbType.Stream;
        var head = ReadHead(isSecond);
        sink.TakeHead(head);
        if (_groups.Capacity > KeptCapacityMax)
            _groups = [];
        _groups.Clear();
        for (long count = strings.ReadLength(); count > 0; count--)
            ReadGroup(head, isSecond, type == RdbType.Stream3);
    }

    private void ReadNode()
    {
        long at = source.Offset;
        var key = strings.Read(ref _text).Span;
        if (key.Length != IdLength)
            throw new RdbFormatException(at, "a node of a stream has no id.");
        var first = IdOf(key);
        at = source.Offset;
        _parts.Clear();
        if (!RdbListpack.TryRead(strings.Read(ref _text).Span, _parts))
            throw new RdbFormatException(at, "a node of a stream (listpack) is damaged.");
        if (_parts.IsTooLong)
            IsTooLong = true;
        else
            ReadEntries(first, at);
    }

    private void ReadEntries(RdbStreamId first, long at)
    {
        long names = NumberAt(NamesPart, at);
        if (names < 0 || names >= _parts.Count - HeadParts || NumberAt(HeadParts + names, at) != 0)
            throw Damaged(at);
        long before = _length;
        long removed = 0;
        for (long place = HeadParts + names + 1; place < _parts.Count;)
            removed += ReadEntry(first, (int)names, ref place, at) ? 1 : 0;
        if (!IsTooLong && (_length - before != NumberAt(EntriesPart, at) || removed != NumberAt(RemovedPart, at)))
            throw Damaged(at);
    }

    // Whether it was removed.
    private bool ReadEntry(RdbStreamId first, int names, ref long place, long at)
    {
        long start = place;
        long flags = NumberAt(place, at);
        var id = IdBehind(first, NumberAt(place + 1, at), NumberAt(place + 2, at), at);
        place += HeadParts;
        bool isSame = (flags & FlagSameFields) != 0;
        bool isRemoved = (flags & FlagRemoved) != 0;
        long count = isSame ? names : NumberAt(place++, at);
        long parts = isSame ? count : 2 * count;
        if (count < 1 || count > _parts.Count || parts >= _parts.Count - place)
            throw Damaged(at);
        if (!isRemoved)
            TakeEntry(id, isSame, (int)count, (int)place, at);
        place += parts;
        if (NumberAt(place, at) != place - start)
            throw Damaged(at);
        place++;
        return isRemoved;
    }

    // Of a later millisecond, the sequence may be less than the first one's: then it wraps.
    private static RdbStreamId IdBehind(RdbStreamId first, long milliseconds, long sequence, long at)
    {
        if ((ulong)milliseconds > ulong.MaxValue - first.Milliseconds)
            throw Damaged(at);
        return new RdbStreamId(
            first.Milliseconds + (ulong)milliseconds, unchecked(first.Sequence + (ulong)sequence));
    }

    private void TakeEntry(RdbStreamId id, bool isSame, int count, int place, long at)
    {
        if (!id.IsBehind(_last))
            throw new RdbFormatException(at, "the ids of a stream do not ascend.");
        _first = _length == 0 ? id : _first;
        (_last, _length) = (id, _length + 1);
        if (IsTooLong)
            return;
        fields.Clear();
        for (int i = 0; i < count; i++)
        {
            fields.Add(_parts[isSame ? HeadParts + i : place + 2 * i]);
            fields.Add(_parts[isSame ? place + i : place + 2 * i + 1]);
        }

        _told += fields.Bytes;
        IsTooLong = fields.IsTooLong || _told > (long)TellingsMax * fields.BytesMax;
        if (IsTooLong)
            return;
        sink.TakeEntry(id, fields);
        IsTooLong = sink.IsFull;
    }

    private RdbStreamHead ReadHead(bool isSecond)
    {
        long at = source.Offset;
        long length = strings.ReadLength();
        var last = ReadId();
        var removed = default(RdbStreamId);
        long added = length;
        if (isSecond)
        {
            _ = ReadId();
            removed = ReadId();
            added = strings.ReadLength();
        }

        if (!IsTooLong && (length != _length || _last.IsBehind(last) || added < length))
            throw new RdbFormatException(at, "a stream has other entries than it says.");
        return new RdbStreamHead(length, last, _first, removed, added);
    }

    private void ReadGroup(in RdbStreamHead head, bool isSecond, bool isThird)
    {
        long start = source.Offset;
        var name = strings.Read(ref _text);
        if (!_groups.Add(Encoding.Latin1.GetString(name.Span)))
            throw new RdbFormatException(start, "a stream has two groups of one name.");
        var last = ReadId();
        long read = isSecond ? (long)strings.ReadNumber() : Estimate(head, last);
        sink.TakeGroup(name.Span, last, Math.Max(-1, read));
        if (Math.Max(_pending.Capacity, _consumers.Capacity) > KeptCapacityMax)
            (_pending, _consumers) = ([], []);
        _pending.Clear();
        _consumers.Clear();
        for (long count = strings.ReadLength(); count > 0; count--)
        {
            long at = source.Offset;
            var id = ReadRawId();
            long delivered = (long)source.ReadUInt64LittleEndian();
            if (!_pending.TryAdd(id, (delivered, (long)strings.ReadNumber())))
                throw new RdbFormatException(at, "an entry is pending twice in a group.");
        }

        for (long count = strings.ReadLength(); count > 0; count--)
            ReadConsumer(isThird);
        if (_pending.Count != 0)
            throw new RdbFormatException(source.Offset, "an entry is pending without a consumer.");
    }

    private void ReadConsumer(bool isThird)
    {
        long start = source.Offset;
        var name = strings.Read(ref _text);
        if (!_consumers.Add(Encoding.Latin1.GetString(name.Span)))
            throw new RdbFormatException(start, "a group has two consumers of one name.");
        long seen = (long)source.ReadUInt64LittleEndian();
        if (isThird)
            source.Skip(sizeof(ulong));
        sink.TakeConsumer(name.Span, seen);
        for (long count = strings.ReadLength(); count > 0; count--)
        {
            long at = source.Offset;
            var id = ReadRawId();
            if (!_pending.Remove(id, out var state))
                throw new RdbFormatException(at, "a consumer has an entry that is not pending in its group.");
            sink.TakePending(id, state.Delivered, state.Deliveries);
        }
    }

    // Files of Redis 5.0 and 6.0 do not say it; what 7.0 makes of them.
    private static long Estimate(in RdbStreamHead head, RdbStreamId last)
    {
        if (head.Added == 0)
            return 0;
        if (last == head.Last)
            return head.Added;
        if (last.IsBehind(head.Last))
            return -1;
        return last == head.First ? 1 : head.First.IsBehind(last) ? 0 : -1;
    }

    private RdbStreamId ReadId() => new(strings.ReadNumber(), strings.ReadNumber());

    private RdbStreamId ReadRawId()
    {
        Span<byte> bytes = stackalloc byte[IdLength];
        return IdOf(source.Read(bytes));
    }

    private static RdbStreamId IdOf(ReadOnlySpan<byte> bytes) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[sizeof(ulong)..]));

    private long NumberAt(long place, long at)
    {
        if (place >= _parts.Count)
            throw Damaged(at);
        var text = _parts[(int)place];
        return Utf8Parser.TryParse(text, out long number, out int length) && length == text.Length
            ? number
            : throw Damaged(at);
    }

    private static RdbFormatException Damaged(long at) => new(at, "a node of a stream has other parts than it says.");
}
