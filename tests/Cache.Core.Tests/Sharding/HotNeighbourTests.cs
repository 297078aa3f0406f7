using Cache.Core.Layout;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>
/// No operation is kept from its end by writes of another key of the same bucket, or of its own key: the sink writes it
/// each time that it is asked for a span, so that every read without a lock is in vain.
/// </summary>
public sealed class HotNeighbourTests : IDisposable
{
    // The attempts without a lock, each of which may begin with the short way, and the last one with the lock.
    private const int SpansMax = 17;

    // A value that lies among others, a long one that does, and two in blocks of their own.
    public static readonly int[] Lengths = [1, 10, 8_000, 100_000, 1 << 20];

    private static readonly byte[] _key = Bytes("key");

    private readonly StoreFixture _fixture = new(static options => options.MemoryLimitBytes = 64 << 20);
    private readonly byte[] _neighbour;

    public HotNeighbourTests()
    {
        _neighbour = NeighbourOf(_key);
        _fixture.Store.Set(_neighbour, "0"u8);
    }

    public static TheoryData<int, bool> Cases => [.. from length in Lengths
                                                     from own in new[] { false, true }
                                                     select (length, own)];

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public void TryGet_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        Assert.True(Store.TryGet(_key, ref sink));
        sink.AssertValue(length);

        sink = Prepare(length, isOwn);
        Assert.True(Store.TryGet(_key, ref sink, out _));
        sink.AssertValue(length);

        sink = Prepare(length, isOwn);
        Assert.True(Store.TryGetStamped(_key, ref sink, out _));
        sink.AssertValue(length);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void TryGetRange_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        Assert.True(Store.TryGetRange(_key, 0, length / 2, ref sink));
        sink.AssertValue(Math.Min(length, (length / 2) + 1));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void GetMany_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        var keys = new Testing.KeyArray([_key, Bytes("none")]);
        Store.GetMany(ref keys, ref sink);
        sink.AssertValue(length);
        Assert.Equal(1, sink.Misses);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void TryGetAndExpire_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        Assert.True(Store.TryGetAndExpire(_key, _fixture.NowMs + 1000, ref sink));
        sink.AssertValue(length);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void SetWithPrevious_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        Assert.Equal(WriteStatus.Done, Store.Set(_key, "new"u8, default, ref sink, out bool existed));
        Assert.True(existed);
        sink.AssertValue(length);
        if (!isOwn)
            Assert.Equal("new", _fixture.Get("key"));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void TryRemove_BesideAHotKey_Ends(int length, bool isOwn)
    {
        var sink = Prepare(length, isOwn);
        Assert.True(Store.TryRemove(_key, ref sink));
        sink.AssertValue(length);
        Assert.Equal(1, sink.Advances);
        if (!isOwn)
            Assert.False(Store.Contains(_key));
    }

    /// <summary>Of a large value a reference is taken, so that one copy is enough, whoever writes beside it.</summary>
    [Fact]
    public void OperationsThatHandOutALargeValue_BesideAHotKey_CopyItOnce()
    {
        var sink = Prepare(1 << 20, isOwn: false);
        Assert.True(Store.TryGetAndExpire(_key, _fixture.NowMs + 1000, ref sink));
        Assert.Equal(1, sink.Spans);

        sink = Prepare(1 << 20, isOwn: false);
        Store.Set(_key, new byte[1 << 20], default, ref sink, out _);
        Assert.Equal(1, sink.Spans);

        sink = Prepare(1 << 20, isOwn: false);
        Assert.True(Store.TryRemove(_key, ref sink));
        Assert.Equal(1, sink.Spans);
    }

    [Fact]
    public void AllOperations_BesideAThreadThatWritesTheNeighbour_End()
    {
        bool stop = false;
        var writer = new Thread(() =>
        {
            while (!Volatile.Read(ref stop))
                Store.Increment(_neighbour, 1, out _);
        });
        writer.Start();
        try
        {
            foreach (int length in Lengths)
            {
                for (int round = 0; round < 20; round++)
                    AssertOperationsEnd(length);
            }
        }
        finally
        {
            Volatile.Write(ref stop, true);
            writer.Join();
        }
    }

    private void AssertOperationsEnd(int length)
    {
        Store.Set(_key, Filled(length, (byte)'1'));
        var sink = new HotSink(null);
        Assert.True(Store.TryGet(_key, ref sink));
        Assert.True(Store.TryGetAndExpire(_key, _fixture.NowMs + 1000, ref sink));
        Assert.Equal(WriteStatus.Done, Store.Append(_key, "1"u8, out int appended));
        Assert.Equal(length + 1, appended);
        Assert.Equal(WriteStatus.Done, Store.SetRange(_key, length, "1"u8, out _));
        Assert.Equal(WriteStatus.Done, Store.Persist(_key));
        Assert.Equal(WriteStatus.Done, Store.Rename(_key, "other"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, Store.Copy("other"u8, Store, _key, SetCondition.Always));
        var keys = new Testing.KeyArray([_key, Bytes("other")]);
        Store.GetMany(ref keys, ref sink);
        var found = new Testing.KeyListSink();
        for (ulong cursor = Store.Scan(0, 10, ref found); cursor != 0;)
            cursor = Store.Scan(cursor, 10, ref found);
        Assert.True(Store.TryGetRandomKey(ref sink));
        Assert.Equal(WriteStatus.Done, Store.Set(_key, "1"u8, default, ref sink, out _));
        Assert.True(Store.TryRemove(_key, ref sink));
        Assert.InRange(sink.MostSpans, 1, 2 * SpansMax);
    }

    private HotSink Prepare(int length, bool isOwn)
    {
        Store.Set(_key, Filled(length, (byte)'1'));
        byte[] hotKey = isOwn ? _key : _neighbour;
        byte[] value = isOwn ? Filled(length, (byte)'2') : Bytes("2");
        return new HotSink(() => Assert.Equal(WriteStatus.Done, Store.Set(hotKey, value)));
    }

    /// <summary>A key of the same home bucket; each shard of so small a store has one page.</summary>
    private byte[] NeighbourOf(byte[] key)
    {
        ulong hash = Store.BeginPrefetch(key).Value;
        for (int i = 0; ; i++)
        {
            byte[] other = Bytes($"neighbour:{i}");
            ulong otherHash = Store.BeginPrefetch(other).Value;
            if (otherHash >> 62 == hash >> 62 && IndexPage.HomeIndexOf(otherHash) == IndexPage.HomeIndexOf(hash))
                return other;
        }
    }

    /// <summary>Writes a key whenever it is asked for a span, and counts.</summary>
    private struct HotSink(Action? write) : IValueBatchSink
    {
        private byte[] _span = [];
        private int _told;

        public int Spans { get; private set; }

        public int MostSpans { get; private set; }

        public int Advances { get; private set; }

        public int Misses { get; private set; }

        public readonly bool IsFull => false;

        public Span<byte> GetSpan(int length)
        {
            MostSpans = Math.Max(MostSpans, ++Spans);
            if (Spans > 100)
                throw new InvalidOperationException("It does not end.");
            write?.Invoke();
            return _span = new byte[length];
        }

        public void Advance(int length)
        {
            _told = length;
            Advances++;
            if (write is null)
                Spans = 0;
        }

        public void Miss() => Misses++;

        public void Restart() => Misses = 0;

        /// <summary>Proves that a whole value was handed out, after few attempts.</summary>
        public readonly void AssertValue(int length)
        {
            Assert.InRange(Spans, 1, SpansMax);
            Assert.Equal(length, _told);
            Assert.Equal(length, _span.Length);
            Assert.Equal(-1, _span.AsSpan().IndexOfAnyExcept(_span[0]));
            Assert.Contains(_span[0], "12"u8.ToArray());
        }
    }
}
