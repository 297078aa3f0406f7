using Cache.Core.Tests.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>A store that is disposed while calls are inside, by others or by these calls themselves.</summary>
public sealed class DisposalTests
{
    private const int LargeLength = 300_000;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 4 });

    [Fact]
    public void Dispose_ByASink_EndsTheReadWithTheException()
    {
        _store.Set("key"u8, "value"u8);
        var sink = new DisposingSink(_store);

        Assert.Throws<ObjectDisposedException>(() => _store.TryGet("key"u8, ref sink));
    }

    [Fact]
    public void Dispose_ByTheSinkOfALargeValue_LeavesItWhole()
    {
        _store.Set("key"u8, Filled(LargeLength, 7));
        var sink = new DisposingSink(_store);

        Assert.True(_store.TryGet("key"u8, ref sink));

        Assert.Equal(Filled(LargeLength, 7), sink.Array);
    }

    [Fact]
    public void Dispose_ByTheSinkOfAReadThatRemoves_RemovesNothing()
    {
        _store.Set("key"u8, "value"u8);
        var sink = new DisposingSink(_store);

        Assert.Throws<ObjectDisposedException>(() => _store.TryRemove("key"u8, ref sink));
    }

    [Fact]
    public void Dispose_ByTheSinkOfAScan_EndsTheScan()
    {
        for (int i = 0; i < 100; i++)
            _store.Set([(byte)i], "value"u8);
        var sink = new DisposingKeySink(_store);

        Assert.Throws<ObjectDisposedException>(() => _store.Scan(0, 1_000, ref sink));
    }

    // However deep inside: at each look at the entries, with a few of them and with many.
    [Theory]
    [InlineData(4, 10)]
    [InlineData(4, LargeLength)]
    [InlineData(20, 10)]
    [InlineData(20, LargeLength)]
    public void Dispose_ByTheEntriesOfSetMany_EndsAtEachPointOfIt(int count, int valueLength)
    {
        bool isDisposed = true;
        for (int looks = 1; isDisposed; looks++)
        {
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 4 });
            for (byte i = 0; i < count / 2; i++)
                store.Set([i], Filled(valueLength, i));
            var entries = new DisposingEntries(store, count, valueLength, looks);

            var exception = Xunit.Record.Exception(() => Ignore(store.SetMany(ref entries, SetCondition.Always)));

            isDisposed = entries.HasDisposed;
            Assert.True(exception is null or ObjectDisposedException, $"{exception}");
            if (isDisposed)
                AssertEnds(store);
        }
    }

    [Fact]
    public void Dispose_ByATransaction_TakesPlaceBehindIt()
    {
        _store.Set("key"u8, "value"u8);

        var exception = Xunit.Record.Exception(() => KeyedTransaction.Run(
            _store, ["key"u8.ToArray(), "other"u8.ToArray()], 1, 2, view =>
            {
                _store.Dispose();
                Assert.Equal("value"u8.ToArray(), view.GetArray("key"u8));
                view.Set("other"u8, new byte[LargeLength]);
            }));

        Assert.True(exception is null or ObjectDisposedException, $"{exception}");
        AssertEnds(_store);
    }

    [Fact]
    public void Dispose_WhileAValueIsLent_LeavesItsBytes()
    {
        _store.Set("key"u8, Filled(LargeLength, 7));
        var sink = default(ArraySink);
        Assert.True(_store.TryGet("key"u8, _store.BeginPrefetch("key"u8), ref sink, 1, out var lent));

        _store.Dispose();
        GC.Collect();
        GC.WaitForPendingFinalizers();

        Assert.Equal(Filled(LargeLength, 7), lent!.Span.ToArray());
        lent.Dispose();
    }

    [Fact]
    public void Dispose_GivesTheBlocksOfLargeValuesBack()
    {
        for (byte i = 0; i < 20; i++)
            _store.Set([i], Filled(LargeLength, i));
        long held = _store.GetStatistics().MemoryBytes;

        _store.Dispose();

        Assert.True(held - _store.GetStatistics().MemoryBytes >= 20 * LargeLength);
    }

    [Fact]
    public void Dispose_ByManyThreadsAtOnce_IsOne()
    {
        Parallel.For(0, 8, _ => _store.Dispose());

        Assert.Throws<ObjectDisposedException>(() => _store.GetArray("key"u8));
    }

    // What disposes of a store from under the locks of its own call leaves the rest to the pool.
    private static void AssertEnds(CacheStore store) =>
        Assert.True(SpinWait.SpinUntil(
            () => Xunit.Record.Exception(() => store.GetArray("key"u8)) is ObjectDisposedException,
            TimeSpan.FromMinutes(1)));

    private static void Ignore(WriteStatus status) => Assert.True(Enum.IsDefined(status));

    private struct DisposingSink(CacheStore store) : IValueSink
    {
        public byte[]? Array { get; private set; }

        public Span<byte> GetSpan(int length)
        {
            store.Dispose();
            return Array = new byte[length];
        }

        public readonly void Advance(int length) => Assert.Equal(Array!.Length, length);
    }

    private readonly struct DisposingKeySink(CacheStore store) : IKeySink
    {
        public bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => store.Dispose();
    }

    private struct DisposingEntries(CacheStore store, int count, int valueLength, int looks) : IEntrySource
    {
        private readonly byte[][] _values = [.. Enumerable.Range(0, count).Select(i => Filled(valueLength, (byte)i))];
        private readonly byte[][] _keys = [.. Enumerable.Range(0, count).Select(i => new[] { (byte)i })];
        private readonly int[] _looks = [looks];

        public readonly bool HasDisposed => _looks[0] <= 0;

        public readonly int Count => count;

        public readonly ReadOnlySpan<byte> GetKey(int index)
        {
            Look();
            return _keys[index];
        }

        public readonly ReadOnlySpan<byte> GetValue(int index)
        {
            Look();
            return _values[index];
        }

        private readonly void Look()
        {
            if (--_looks[0] == 0)
                store.Dispose();
        }
    }
}
