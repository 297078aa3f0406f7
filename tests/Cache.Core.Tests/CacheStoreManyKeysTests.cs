using System.Text;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class CacheStoreManyKeysTests : IDisposable
{
    private readonly StoreFixture _fixture = new(static options => options.ValueLengthMax = 1 << 20);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void GetMany_PresentAbsentAndRepeatedKeys_AnswersInOrder()
    {
        _fixture.Set("a", "1");
        _fixture.Set("b", "");

        Assert.Equal(["1", null, "", "1", null], GetMany("a", "x", "b", "a", "x"));
    }

    [Fact]
    public void GetMany_NoKeys_AnswersNothing() => Assert.Empty(GetMany());

    [Fact]
    public void GetMany_MoreKeysThanAnyBatch_AnswersEach()
    {
        string[] keys = [.. Enumerable.Range(0, 1_000).Select(static i => $"key:{i}")];
        foreach (string key in keys.Where(static (_, i) => i % 3 != 0))
            _fixture.Set(key, key);

        Assert.Equal(keys.Select(static (key, i) => i % 3 == 0 ? null : key), GetMany(keys));
        Assert.Equal((666, 334), (Store.GetStatistics().Hits, Store.GetStatistics().Misses));
    }

    [Fact]
    public void SetMany_KeyThatComesTwice_KeepsTheLastValue()
    {
        Assert.Equal(WriteStatus.Done, SetMany(SetCondition.Always, ("a", "1"), ("b", "2"), ("a", "3")));

        Assert.Equal(["3", "2"], GetMany("a", "b"));
        Assert.Equal(2, Store.Count);
    }

    [Fact]
    public void SetMany_ExistingEntries_LoseTheirExpiry()
    {
        _fixture.Set("a", "0", ExpiringAt(_fixture.NowMs + 10));

        SetMany(SetCondition.Always, ("a", "1"));
        _fixture.Clock.Advance(20);

        Assert.Equal("1", _fixture.Get("a"));
    }

    [Fact]
    public void SetMany_ConditionFailsForOneKey_WritesNone()
    {
        _fixture.Set("b", "0");

        Assert.Equal(WriteStatus.ConditionNotMet, SetMany(SetCondition.IfAbsent, ("a", "1"), ("b", "2"), ("c", "3")));
        Assert.Equal(WriteStatus.ConditionNotMet, SetMany(SetCondition.IfPresent, ("b", "1"), ("c", "3")));

        Assert.Equal([null, "0", null], GetMany("a", "b", "c"));
    }

    [Fact]
    public void SetMany_IfAbsentKeyThatComesTwice_IsOneKey()
    {
        Assert.Equal(WriteStatus.Done, SetMany(SetCondition.IfAbsent, ("a", "1"), ("a", "2")));
        Assert.Equal("2", _fixture.Get("a"));
    }

    [Fact]
    public void SetMany_OneEntryTooLong_WritesNone()
    {
        var values = new EntryArray((Bytes("a"), Bytes("1")), (Bytes("b"), new byte[(1 << 20) + 1]));
        var keys = new EntryArray((Bytes("a"), Bytes("1")), (new byte[CacheStore.KeyLengthMax + 1], Bytes("2")));

        Assert.Equal(WriteStatus.ValueTooLong, Store.SetMany(ref values, SetCondition.Always));
        Assert.Equal(WriteStatus.KeyTooLong, Store.SetMany(ref keys, SetCondition.Always));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void SetMany_MoreThanTheLimitWithoutEviction_WritesNone()
    {
        Store.Eviction = EvictionPolicy.None;
        var entries = new EntryArray(
            [.. Enumerable.Range(0, 20).Select(static i => (Bytes($"key:{i}"), new byte[1 << 20]))]);

        Assert.Equal(WriteStatus.OutOfMemory, Store.SetMany(ref entries, SetCondition.Always));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Rename_PresentKey_MovesValueAndExpiryOverWhatWasThere()
    {
        long expiresAtMs = _fixture.NowMs + 500;
        _fixture.Set("from", "value", ExpiringAt(expiresAtMs));
        _fixture.Set("to", "an older and longer value");

        Assert.Equal(WriteStatus.Done, Store.Rename("from"u8, "to"u8, SetCondition.Always));

        Assert.Null(_fixture.Get("from"));
        Assert.Equal("value", _fixture.Get("to"));
        Assert.Equal(expiresAtMs, _fixture.Peek("to")!.Value.ExpiresAtMs);
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public void Rename_EntryWithoutExpiryOverOneWithIt_NeverExpires()
    {
        _fixture.Set("from", "value");
        _fixture.Set("to", "old", ExpiringAt(_fixture.NowMs + 10));

        Store.Rename("from"u8, "to"u8, SetCondition.Always);
        _fixture.Clock.Advance(20);

        Assert.Equal("value", _fixture.Get("to"));
        Assert.Equal(0, Store.GetStatistics().ExpiringCount);
    }

    [Fact]
    public void Rename_ConditionOrAbsence_LeavesBoth()
    {
        _fixture.Set("from", "1");
        _fixture.Set("to", "2");

        Assert.Equal(WriteStatus.ConditionNotMet, Store.Rename("from"u8, "to"u8, SetCondition.IfAbsent));
        Assert.Equal(WriteStatus.NotFound, Store.Rename("absent"u8, "to"u8, SetCondition.Always));
        Assert.Equal(["1", "2"], GetMany("from", "to"));
    }

    [Fact]
    public void Rename_ToItself_KeepsTheEntry()
    {
        _fixture.Set("key", "value");

        Assert.Equal(WriteStatus.Done, Store.Rename("key"u8, "key"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.Rename("key"u8, "key"u8, SetCondition.IfAbsent));
        Assert.Equal("value", _fixture.Get("key"));
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public void Rename_ToATooLongKey_IsRefused()
    {
        _fixture.Set("key", "value");

        var status = Store.Rename("key"u8, new byte[CacheStore.KeyLengthMax + 1], SetCondition.Always);

        Assert.Equal(WriteStatus.KeyTooLong, status);
        Assert.Equal("value", _fixture.Get("key"));
    }

    [Fact]
    public void Copy_ToAnotherKeyspace_LeavesTheSource()
    {
        var other = Store.SelectKeyspace(3);
        long expiresAtMs = _fixture.NowMs + 500;
        _fixture.Set("key", "value", ExpiringAt(expiresAtMs));

        Assert.Equal(WriteStatus.Done, Store.Copy("key"u8, other, "copy"u8, SetCondition.IfAbsent));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.Copy("key"u8, other, "copy"u8, SetCondition.IfAbsent));
        Assert.Equal(WriteStatus.NotFound, Store.Copy("absent"u8, other, "copy"u8, SetCondition.Always));

        Assert.Equal("value", _fixture.Get("key"));
        Assert.Equal("value", StoreFixture.Get(other, "copy"));
        Assert.Null(_fixture.Get("copy"));
        other.TryPeekInfo("copy"u8, out var info);
        Assert.Equal(expiresAtMs, info.ExpiresAtMs);
    }

    [Fact]
    public void Copy_ThenChangeOfTheSource_LeavesTheCopy()
    {
        _fixture.Set("key", "value");
        Store.Copy("key"u8, Store, "copy"u8, SetCondition.Always);

        Store.SetRange("key"u8, 0, "VALUE"u8, out _);

        Assert.Equal("value", _fixture.Get("copy"));
    }

    [Fact]
    public void Copy_ToAnotherStore_Throws()
    {
        using var other = new StoreFixture();

        Assert.Throws<ArgumentException>(
            () => Store.Copy("key"u8, other.Store, "copy"u8, SetCondition.Always));
    }

    [Fact]
    public void GetMany_SinkThatThrowsAfterAllAttempts_LeavesTheStoreWhole()
    {
        var clock = new HandClock();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, clock);
        store.Set("hot"u8, "0"u8);
        long before = store.GetStatistics().MemoryBytes;
        store.Set("big"u8, new byte[1 << 20], ExpiringAt(store.NowMs + 1000));
        store.TryPeekInfo("big"u8, out var big);
        var keys = new KeyArray([Bytes("hot"), Bytes("big")]);
        var sink = new ThrowingLastSink(store, clock);

        Assert.Throws<InvalidOperationException>(() => store.GetMany(ref keys, ref sink));

        store.Validate();
        Assert.Equal(1, store.Count);
        Assert.InRange(store.GetStatistics().MemoryBytes, before, before + (1 << 19));
        Assert.False(store.TryPeekInfo("big"u8, out var gone));
        Assert.NotEqual(big.Version, gone.Version);
    }

    [Fact]
    public async Task SetMany_OfEntriesThatThrow_LeavesNothing()
    {
        long before = Store.GetStatistics().MemoryBytes;
        int thrown = 0;
        var writing = Task.Run(
            () =>
            {
                for (int call = 1; TrySetThrowingAt(call); call++)
                {
                    thrown++;
                    Store.Validate();
                    Assert.Equal(0, Store.Count);
                }
            },
            TestContext.Current.CancellationToken);

        await writing.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        Assert.InRange(thrown, 6, 100);
        Store.Clear();
        Assert.InRange(Store.GetStatistics().MemoryBytes, before, before + (1 << 18));
    }

    [Theory]
    [InlineData(8)] // In place.
    [InlineData(500)] // In new records.
    public async Task SetMany_OfEntriesThatThrowWhileTheyAreReplaced_LeavesNothingLocked(int length)
    {
        const int count = 3;
        var writing = Task.Run(
            () =>
            {
                int thrown = 0;
                bool isThrown;
                do
                {
                    for (int i = 0; i < count; i++)
                        Assert.Equal(WriteStatus.Done, Store.Set(Bytes($"{i}"), new byte[8]));
                    var entries = new ThrowingValues(count, new byte[length], [++thrown]);
                    isThrown = false;
                    try
                    {
                        Store.SetMany(ref entries, SetCondition.Always);
                    }
                    catch (InvalidOperationException)
                    {
                        isThrown = true;
                    }

                    Store.Validate();
                }
                while (isThrown);
                return thrown;
            },
            TestContext.Current.CancellationToken);

        int calls = await writing.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        Assert.InRange(calls, 3 * count, 100);
        Store.Clear();
    }

    [Fact]
    public void SetMany_OfExistingKeysOfWhichTheSecondThrowsAtLast_KeepsTheFirst()
    {
        Store.Set("0"u8, [1]);
        Store.Set("1"u8, [1]);
        var entries = new ThrowingValues(2, [2], [6]); // Asked for their lengths, their places, and then written.

        Assert.Throws<InvalidOperationException>(() => Store.SetMany(ref entries, SetCondition.Always));

        Assert.Equal([2, 1], [.. Store.GetArray("0"u8)!, .. Store.GetArray("1"u8)!]);
    }

    // What was placed for the first entry when the second threw; the other key's writes fill up the segments.
    [Fact]
    public void SetMany_OfEntriesThatThrowWhenTheFirstHasItsPlace_GivesThatBack()
    {
        Store.Set("0"u8, new byte[8]);
        Store.Set("1"u8, new byte[8]);
        for (int round = 0; round < 10_000; round++)
        {
            var entries = new ThrowingValues(2, new byte[2_000], [4]); // Two calls to look at the lengths come before.
            Assert.Throws<InvalidOperationException>(() => Store.SetMany(ref entries, SetCondition.Always));
            Store.Set("other"u8, new byte[1_000 + round % 2 * 1_000]);
        }

        Store.Validate();
        Assert.InRange(Store.GetStatistics().MemoryBytes, 0, 2 << 20);
    }

    [Theory]
    [InlineData(2, 8)]
    [InlineData(2, 500)]
    [InlineData(100, 8)]
    public void SetMany_OfValuesThatGrowWhileTheyAreReplaced_WritesNoneOverItsNeighbour(int count, int length)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, Store.Set(Bytes($"{i}"), new byte[8]));
        int refused = 0;
        for (int call = 1; call <= 3 * count; call++)
        {
            var entries = new GrowingValues(count, length, [call]);
            try
            {
                Store.SetMany(ref entries, SetCondition.Always);
            }
            catch (InvalidOperationException)
            {
                refused++;
            }

            Store.Validate();
            for (int i = 0; i < count; i++)
                Store.Set(Bytes($"{i}"), new byte[8]);
        }

        Assert.InRange(refused, 1, 3 * count);
    }

    // The clock goes on between any two looks at it, so that one of the rounds ends the entries between two reads.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void GetMany_OfEntriesThatExpireAtOneMoment_FindsAllOrNone(bool isLocked)
    {
        var clock = new HandClock();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, clock);
        int none = 0;
        const int rounds = 500;
        for (int round = 1; round <= rounds; round++)
        {
            clock.TickMs = 0;
            store.Set("hot"u8, "1"u8);
            foreach (string key in (string[])["a", "b", "c"])
                store.Set(Bytes(key), "value"u8, ExpiringAt(store.NowMs + round));
            var keys = new KeyArray([Bytes("hot"), Bytes("a"), Bytes("b"), Bytes("a"), Bytes("c")]);
            var sink = new HotSink(isLocked ? store : null);
            clock.TickMs = 1;

            store.GetMany(ref keys, ref sink);

            int found = sink.Values.Count(static value => value is not null) - 1;
            Assert.True(found is 0 or 4, $"Round {round} found {found} of 4.");
            none += found == 0 ? 1 : 0;
        }

        Assert.InRange(none, 1, rounds - 1);
    }

    private bool TrySetThrowingAt(int call)
    {
        var entries = new ThrowingEntries(call);
        try
        {
            return Store.SetMany(ref entries, SetCondition.IfAbsent) != WriteStatus.Done;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }

    private List<string?> GetMany(params string[] keys)
    {
        var source = new KeyArray([.. keys.Select(Bytes)]);
        var sink = new ValueListSink();
        Store.GetMany(ref source, ref sink);
        return [.. sink.Values.Select(static value => value is null ? null : Encoding.Latin1.GetString(value))];
    }

    private WriteStatus SetMany(SetCondition condition, params (string Key, string Value)[] entries)
    {
        var source = new EntryArray([.. entries.Select(static entry => (Bytes(entry.Key), Bytes(entry.Value)))]);
        return Store.SetMany(ref source, condition);
    }

    /// <summary>Three entries with large values, of whose keys one cannot be had.</summary>
    private readonly struct ThrowingEntries(int call) : IEntrySource
    {
        private readonly int[] _callsLeft = [call];

        public int Count => 3;

        public ReadOnlySpan<byte> GetKey(int index) =>
            --_callsLeft[0] == 0 ? throw new InvalidOperationException() : Bytes($"{index}");

        public ReadOnlySpan<byte> GetValue(int index) => new byte[20_000];
    }

    /// <summary>Entries whose values are longer from one of the calls on.</summary>
    private readonly struct GrowingValues(int count, int length, int[] callsLeft) : IEntrySource
    {
        public int Count => count;

        public ReadOnlySpan<byte> GetKey(int index) => Bytes($"{index}");

        public ReadOnlySpan<byte> GetValue(int index) => new byte[--callsLeft[0] < 0 ? length + 2_000 : length];
    }

    /// <summary>Entries of which a value cannot be had at one of the calls.</summary>
    private readonly struct ThrowingValues(int count, byte[] value, int[] callsLeft) : IEntrySource
    {
        public int Count => count;

        public ReadOnlySpan<byte> GetKey(int index) => Bytes($"{index}");

        public ReadOnlySpan<byte> GetValue(int index) =>
            --callsLeft[0] == 0 ? throw new InvalidOperationException() : value;
    }

    /// <summary>Makes every attempt vain, lets a value expire before the last one, and throws in it.</summary>
    private struct ThrowingLastSink(CacheStore store, HandClock clock) : IValueBatchSink
    {
        private int _restarts;

        public readonly bool IsFull => false;

        public readonly Span<byte> GetSpan(int length)
        {
            if (length == 1)
                store.Set("hot"u8, "1"u8);
            return new byte[length];
        }

        public readonly void Advance(int length)
        {
        }

        public readonly void Miss() => throw new InvalidOperationException();

        public void Restart()
        {
            if (++_restarts == 8)
                clock.NowMs += 2000;
        }
    }

    /// <summary>Keeps the values; writes the hot key while it is read without a lock, if there is a store.</summary>
    private readonly struct HotSink(CacheStore? store) : IValueBatchSink
    {
        private readonly byte[] _buffer = new byte[16];
        private readonly int[] _restarts = [0];

        public List<byte[]?> Values { get; } = [];

        public bool IsFull => false;

        public Span<byte> GetSpan(int length)
        {
            if (length == 1 && _restarts[0] < 8)
                store?.Set("hot"u8, "1"u8);
            return _buffer;
        }

        public void Advance(int length) => Values.Add(_buffer[..length]);

        public void Miss() => Values.Add(null);

        public void Restart()
        {
            _restarts[0]++;
            Values.Clear();
        }
    }

    /// <summary>Set by hand, and without timers: nothing is swept.</summary>
    private sealed class HandClock : TimeProvider
    {
        public long NowMs { get; set; } = 1_000_000;

        /// <summary>How far each look moves it on.</summary>
        public int TickMs { get; set; }

        public override long TimestampFrequency => 1000;

        public override long GetTimestamp() => NowMs += TickMs;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }
}
