using System.Globalization;
using System.Text;
using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

/// <summary>Streams of redis-server 7.0.15, with groups, removed entries and several nodes; and damaged ones.</summary>
public sealed class RdbStreamsTests
{
    private const int BytesMax = 1_000_000;

    [Fact]
    public void TryRead_StreamsOfRedis_TellsTheirParts()
    {
        var sink = new Counter();
        Read(RdbFile.Recorded("streams.rdb"), sink);

        Assert.Equal((3, 244, 3, 4, 38), (sink.Streams, sink.Entries, sink.Groups, sink.Consumers, sink.Pending));
    }

    // Without its checksum, which finds them all. What is told of such a file is in order, and no more than it has.
    [Fact]
    public void TryRead_OfChangedBytes_EndsOrIsRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] file = RdbFile.Recorded("streams.rdb");
        for (int i = 0; i < 2_000; i++)
        {
            byte[] changed = [.. file];
            for (int changes = random.Next(1, 4); changes > 0; changes--)
                changed[random.Next(9, changed.Length)] = (byte)random.Next(256);
            changed.AsSpan(changed.Length - sizeof(ulong)).Clear();
            var sink = new Counter();
            try
            {
                Read(changed, sink);
            }
            catch (RdbFormatException)
            {
            }

            Assert.InRange(sink.Entries + sink.Groups + sink.Consumers + sink.Pending, 0, file.Length);
        }
    });

    [Theory]
    [InlineData(100)]
    [InlineData(3_000)]
    public void Write_OfEntries_IsReadAsTheyWere(int length)
    {
        var (names, values) = (new RdbElements(1 << 20, 100), new RdbElements(1 << 20, 100));
        var nodes = default(RdbStreamNodes);
        for (int i = 0; i < 300; i++)
            nodes.BeginsNode(Fill(names, values, i, length));
        using var file = new MemoryStream();
        var writer = new RdbWriter(file, DateTimeOffset.UnixEpoch);
        var stream = new RdbStreamWriter(writer);
        stream.Begin(new RdbEntry(0, "k"u8.ToArray(), default, null), nodes.Count);
        for (int i = 0; i < 300; i++)
        {
            Fill(names, values, i, length);
            stream.WriteEntry(new RdbStreamId((ulong)i + 1, ulong.MaxValue - (ulong)i), names, values);
        }

        var last = new RdbStreamId(300, ulong.MaxValue);
        stream.WriteHead(new RdbStreamHead(300, last, new RdbStreamId(1, ulong.MaxValue), default, 300), groups: 0);
        writer.WriteEnd();

        var sink = new Counter();
        Read(file.ToArray(), sink);
        Assert.Equal((1, 300, (long)300 * 2 + 300 / 7 + 1), (sink.Streams, sink.Entries, sink.Fields));
    }

    // Redis refuses such a file too: what is pending of the one would be the other's.
    [Theory]
    [InlineData("g", "h", "a", "b", true)]
    [InlineData("g", "h", "a", "a", false)]
    [InlineData("g", "g", "a", "b", false)]
    public void TryRead_OfNamesThatAreThereTwice_IsRefused(
        string group, string otherGroup, string consumer, string otherConsumer, bool isTaken)
    {
        using var file = new MemoryStream();
        var writer = new RdbWriter(file, DateTimeOffset.UnixEpoch);
        var stream = new RdbStreamWriter(writer);
        stream.Begin(new RdbEntry(0, "k"u8.ToArray(), default, null), nodes: 0);
        stream.WriteHead(default, groups: 2);
        foreach (string name in (string[])[group, otherGroup])
        {
            stream.WriteGroup(Encoding.ASCII.GetBytes(name), default, entriesRead: 0);
            stream.WriteCount(0);
            stream.WriteCount(2);
            foreach (string one in (string[])[consumer, otherConsumer])
            {
                stream.WriteConsumer(Encoding.ASCII.GetBytes(one), seenMs: 1);
                stream.WriteCount(0);
            }
        }

        writer.WriteEnd();
        var sink = new Counter();
        if (isTaken)
            Read(file.ToArray(), sink);
        else
            Assert.Throws<RdbFormatException>(() => Read(file.ToArray(), sink));
        Assert.Equal(isTaken, sink is { Groups: 2, Consumers: 4 });
    }

    // Entries, removed ones, names, the name, 0; flags, time and number behind the first, value, parts; one removed.
    [Theory]
    [InlineData("1 1 1 f 0 2 0 0 v 4 3 1 0 w 4", true)]
    [InlineData("1 1 1 f 0 2 0 0 v 4 1 1 0 1 f w 6", true)]
    [InlineData("2 0 1 f 0 2 0 5 v 4 2 1 -3 w 4", true)]
    [InlineData("2 1 1 f 0 2 0 0 v 4 3 1 0 w 4", false)]
    [InlineData("1 0 1 f 0 2 0 0 v 4 3 1 0 w 4", false)]
    [InlineData("0 2 1 f 0 2 0 0 v 4 3 1 0 w 4", false)]
    [InlineData("1 1 1 f 1 2 0 0 v 4 3 1 0 w 4", false)]
    [InlineData("1 1 1 f 0 2 0 0 v 5 3 1 0 w 4", false)]
    [InlineData("1 1 1 f 0 2 0 0 v 4 3 1 0 w 3", false)]
    [InlineData("1 1 1 f 0 2 0 0 v 4 3 1 0 w", false)]
    [InlineData("1 0 1 f 0 2 -6 0 v 4", false)]
    [InlineData("1 0 5 f 0 2 0 0 v 4", false)]
    [InlineData("1 0 -1 f 0 2 0 0 v 4", false)]
    [InlineData("1 0 1 f 0 0 0 0 0 4", false)]
    [InlineData("1 0 1 f 0 0 0 0 99 g v 6", false)]
    [InlineData("2 0 1 f 0 2 0 1 v 4 2 0 1 w 4", false)]
    public void TryRead_OfANode_IsTakenIfItsPartsAreWhatTheySay(string parts, bool isTaken)
    {
        var pack = new RdbListpackWriter();
        foreach (string part in parts.Split(' '))
        {
            if (long.TryParse(part, CultureInfo.InvariantCulture, out long number))
                pack.Add(number);
            else
                pack.Add(Encoding.ASCII.GetBytes(part));
        }

        using var file = new MemoryStream();
        var writer = new RdbWriter(file, DateTimeOffset.UnixEpoch);
        new RdbStreamWriter(writer).Begin(new RdbEntry(0, "k"u8.ToArray(), default, null), nodes: 1);
        writer.WriteBytes([0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1]);
        writer.WriteBytes(pack.Complete());
        foreach (ulong number in (ulong[])[parts[0] == '2' ? 2ul : 1, 9, 9, 5, 1, 0, 0, 2, 0])
            writer.WriteNumber(number);
        writer.WriteEnd();

        if (isTaken)
            Read(file.ToArray(), new Counter());
        else
            Assert.Throws<RdbFormatException>(() => Read(file.ToArray(), new Counter()));
    }

    // A name of 50 KB that 3,000 entries share is told no more often than the bounds allow.
    [Fact]
    public void TryRead_OfOneLongNameAndManyEntries_EndsWithTheBounds()
    {
        const int Entries = 3_000;
        var pack = new RdbListpackWriter();
        foreach (long number in (long[])[Entries, 0, 1])
            pack.Add(number);
        pack.Add(new byte[50_000]);
        pack.Add(0);
        for (int i = 0; i < Entries; i++)
        {
            foreach (long number in (long[])[2, i, 0, 7, 4])
                pack.Add(number);
        }

        using var file = new MemoryStream();
        var writer = new RdbWriter(file, DateTimeOffset.UnixEpoch);
        new RdbStreamWriter(writer).Begin(new RdbEntry(0, "k"u8.ToArray(), default, null), nodes: 1);
        writer.WriteBytes([0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1]);
        writer.WriteBytes(pack.Complete());
        foreach (ulong number in (ulong[])[Entries, 99_999, 9, 5, 1, 0, 0, Entries, 0])
            writer.WriteNumber(number);
        writer.WriteEnd();
        var told = new Counter();
        var full = new Counter { IsFull = true };

        Read(file.ToArray(), told);
        Read(file.ToArray(), full);

        Assert.Equal((4 * BytesMax / 50_001, 1), (told.Entries, full.Entries));
    }

    [Fact]
    public void GetHashCode_OfIdsThatDifferInHighBits_Differs()
    {
        var codes = Enumerable.Range(0, 100).Select(static i => (ulong)i)
            .Select(static i => new RdbStreamId(i << 32 | i, 7).GetHashCode());

        Assert.InRange(codes.Distinct().Count(), 90, 100);
    }

    private static long Fill(RdbElements names, RdbElements values, int index, int length)
    {
        names.Clear();
        values.Clear();
        names.Add("field"u8);
        values.Add(new byte[length * (index % 3)]);
        names.Add("other"u8);
        values.Add("-12"u8);
        if (index % 7 == 0)
        {
            names.Add(""u8);
            values.Add(new byte[70]);
        }

        return names.Count == 3 ? 10 + values[0].Length + 3 + 70 : 10 + values[0].Length + 3;
    }

    private static void Read(byte[] file, Counter sink)
    {
        var reader = new RdbReader(new MemoryStream(file), new RdbElements(BytesMax, 10_000), sink);
        while (reader.TryRead(out _))
        {
        }
    }

    private sealed class Counter : IRdbStreamSink
    {
        private RdbStreamId _last;

        public bool IsFull { get; set; }

        public int Streams { get; private set; }

        public int Entries { get; private set; }

        public long Fields { get; private set; }

        public int Groups { get; private set; }

        public int Consumers { get; private set; }

        public int Pending { get; private set; }

        public void Begin()
        {
            Streams++;
            _last = default;
        }

        public void TakeEntry(RdbStreamId id, RdbElements fields)
        {
            Assert.True(id.IsBehind(_last));
            Assert.True(fields.Count >= 2 && fields.Count % 2 == 0);
            _last = id;
            Entries++;
            Fields += fields.Count / 2;
        }

        public void TakeHead(in RdbStreamHead head) => Assert.False(_last.IsBehind(head.Last));

        public void TakeGroup(ReadOnlySpan<byte> name, RdbStreamId last, long entriesRead)
        {
            Assert.True(entriesRead >= -1);
            Groups++;
        }

        public void TakeConsumer(ReadOnlySpan<byte> name, long seenMs) => Consumers++;

        public void TakePending(RdbStreamId id, long deliveredMs, long deliveries) => Pending++;
    }
}
