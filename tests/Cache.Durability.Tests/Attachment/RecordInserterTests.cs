using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

public sealed class RecordInserterTests : IDisposable
{
    private readonly FakeTimeProvider _clock = new();
    private readonly CacheStore _store;
    private readonly CacheStore[] _keyspaces;
    private readonly LoadedExpiry _expiry;
    private readonly RecordInserter _inserter;

    public RecordInserterTests()
    {
        _store = StoreRig.Create(_clock);
        _keyspaces = [.. Enumerable.Range(0, _store.KeyspaceCount).Select(_store.SelectKeyspace)];
        _expiry = new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds());
        _inserter = new RecordInserter(_keyspaces, _expiry);
    }

    public void Dispose() => _store.Dispose();

    // As long as no load takes an hour.
    [Fact]
    public void Apply_IntervalIsShorterThanTheLoad_TheEntryIsThere()
    {
        Apply(new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Sliding, SlidingMs = 100 }, "a"u8, "12"u8);
        _clock.Advance(1_000);
        Apply(new RecordFields { Kind = RecordKind.Patch, Offset = 1 }, "a"u8, "3"u8);
        Complete();
        Assert.Equal("13"u8, _store.GetArray("a"u8)!);
        Assert.True(_store.TryPeekInfo("a"u8, out var info));
        Assert.Equal(100, info.SlidingMs);
        _clock.Advance(101);
        Assert.False(_store.Contains("a"u8));
    }

    // It was there when its last moment was taken from it.
    [Theory]
    [InlineData(2_000, true)]
    [InlineData(2_000, false)]
    [InlineData(7_200_000, true)]
    [InlineData(7_200_000, false)]
    public void Apply_PersistOfAnEntryWhoseLastMomentPassesMeanwhile_IsApplied(int slidingMs, bool isPersisted)
    {
        long absoluteMs = _clock.GetUtcNow().ToUnixTimeMilliseconds() + 500;
        var fields = new RecordFields
        {
            Kind = RecordKind.Set,
            Flags = RecordFlags.Sliding,
            SlidingMs = slidingMs,
            AbsoluteMs = absoluteMs,
        };
        Apply(fields, "a"u8, "1"u8);
        _clock.Advance(1_000);
        if (isPersisted)
            Apply(new RecordFields { Kind = RecordKind.Expire }, "a"u8, default);
        Complete();
        Assert.Equal(isPersisted, _store.Contains("a"u8));
        if (!isPersisted)
            return;
        Assert.True(_store.TryPeekInfo("a"u8, out var info));
        Assert.Equal((0, 0), (info.SlidingMs, info.ExpiresAtUnixMs));
    }

    [Theory]
    [InlineData(new byte[] { 0, 0 })]
    [InlineData(new byte[] { 0, 2 })]
    [InlineData(new byte[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14 })]
    [InlineData(new byte[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 })]
    public void Apply_DatabasesThatCannotBe_AreRefused(byte[] keyspaces)
    {
        var record = new RecordView { Fields = new RecordFields { Kind = RecordKind.Databases } };
        Assert.NotEmpty(_inserter.Apply(record, keyspaces));
        Assert.Null(_inserter.Databases);
    }

    private void Complete() => _expiry.End(_keyspaces, lastWallMs: 0);

    private void Apply(RecordFields fields, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var record = new RecordView { Fields = fields, Key = key, Value = value, ValueLength = value.Length };
        Assert.Empty(_inserter.Apply(record, value));
    }
}
