using System.Text;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>Reads of many keys that are each a read of its own.</summary>
public sealed class TryGetManyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(1_000)]
    public void Arrays_AreThoseOfTheKeysInTheirOrder(int count)
    {
        string[] names = [.. Enumerable.Range(0, count).Select(i => $"key:{i * 7 % 1_009}")];
        foreach (string name in names.Where((_, i) => i % 3 != 0))
            _fixture.Set(name, "of " + name);
        byte[]?[] values = new byte[]?[count];
        Array.Fill(values, [1]); // What is not found is set too.

        int found = Store.TryGetMany(Memories(names), values);

        Assert.Equal(names.Select((name, i) => i % 3 == 0 ? null : "of " + name), values.Select(Text));
        Assert.Equal(values.Count(static value => value is not null), found);
        Assert.Equal((found, count - found), (Store.GetStatistics().Hits, Store.GetStatistics().Misses));
    }

    [Fact]
    public void Values_OfAllKinds_ComeAsOneByOne()
    {
        string large = new('x', 3_000_000);
        Store.Set("large"u8, Bytes(large));
        Store.Set("empty"u8, default);
        Store.Hash("hash"u8).Set("field"u8, "value"u8);
        _fixture.Set("expired", "value", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Set("sliding", "value", Sliding(100));
        Store.SelectKeyspace(1).Set("other"u8, "value"u8);
        _fixture.Clock.Advance(50);
        string[] names = ["large", "empty", "hash", "expired", "sliding", "other", new('k', 70_000)];
        byte[]?[] values = new byte[]?[names.Length];

        Assert.Equal(3, Store.TryGetMany(Memories(names), values));
        Assert.Equal([large, "", null, null, "value", null, null], values.Select(Text));
        Assert.Equal(_fixture.NowMs + 100, _fixture.Peek("sliding")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void Sink_IsToldOfEachKeyBeforeItsValue()
    {
        _fixture.Set("a", "1");
        _fixture.Set("c", "3");
        var sink = new NotingSink([]);

        Assert.Equal(2, Store.TryGetMany(Memories(["a", "b", "c"]), ref sink));
        Assert.Equal(["0", "'1'", "1", "2", "'3'"], sink.Notes);
    }

    [Fact]
    public void Keys_InATransaction_AreReadInIt()
    {
        KeyedTransaction.Run(Store, [Bytes("a"), Bytes("b")], keyspaces: 1, writeCount: 1, store =>
        {
            store.Set("a"u8, "1"u8);
            byte[]?[] values = new byte[]?[2];
            Assert.Equal(1, store.TryGetMany(Memories(["a", "b"]), values));
            Assert.Equal(["1", null], values.Select(Text));
        });
        Assert.Equal("1", _fixture.Get("a"));
    }

    [Fact]
    public void Values_WithoutRoom_AreRefused() =>
        Assert.Throws<ArgumentException>(() => Store.TryGetMany(Memories(["a", "b"]), new byte[]?[1]));

    [Fact]
    public void Store_ThatWasDisposed_Throws()
    {
        var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        store.Dispose();
        Assert.Throws<ObjectDisposedException>(() => store.TryGetMany(default, []));
        Assert.Throws<ObjectDisposedException>(() => store.TryGetMany(Memories(["a"]), new byte[]?[1]));
    }

    [Fact]
    public void Reads_AllocateNothing()
    {
        string[] names = [.. Enumerable.Range(0, 100).Select(i => $"key:{i}")];
        foreach (string name in names)
            _fixture.Set(name, "of " + name);
        var keys = Memories(names);
        byte[] buffer = new byte[100];

        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
                ReadOnce();
        }));

        void ReadOnce()
        {
            var sink = new CopyingSink(buffer);
            if (Store.TryGetMany(keys, ref sink) != names.Length)
                Assert.Fail("Not all were found.");
        }
    }

    private static ReadOnlyMemory<byte>[] Memories(string[] names) =>
        [.. names.Select(static name => new ReadOnlyMemory<byte>(Bytes(name)))];

    private static string? Text(byte[]? value) => value is null ? null : Encoding.Latin1.GetString(value);

    private struct NotingSink(List<string> notes) : IIndexedValueSink
    {
        private byte[] _buffer = [];

        public readonly List<string> Notes => notes;

        public readonly void Begin(int index) => notes.Add($"{index}");

        public Span<byte> GetSpan(int length) => _buffer = new byte[length];

        public readonly void Advance(int length) => notes.Add($"'{Text(_buffer)}'");
    }

    private readonly ref struct CopyingSink(Span<byte> buffer) : IIndexedValueSink
    {
        private readonly Span<byte> _buffer = buffer;

        public void Begin(int index)
        {
        }

        public Span<byte> GetSpan(int length) => _buffer;

        public void Advance(int length)
        {
        }
    }
}
