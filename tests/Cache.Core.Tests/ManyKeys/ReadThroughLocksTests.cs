using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Sharding;
using Cache.Core.Tests.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>While a long batch holds its keys, others read all values from before, and then all new ones.</summary>
public sealed class ReadThroughLocksTests : IDisposable
{
    private const int KeyCount = 300;

    // Of a read that waits for the end of the batch, which waits for the read: the test fails then.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private static readonly byte[][] _keys = [.. Enumerable.Range(0, KeyCount).Select(static i => Bytes($"key:{i}"))];

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(20, 1)]
    [InlineData(20, 20)]
    [InlineData(100, 1)]
    public void Get_OfAKeyThatALongBatchHolds_ReadsTheValueFromBefore(int length, int present)
    {
        Fill(length, 1, _keys[..(KeyCount / present)]);
        byte[]? seen = null;
        byte[]? absent = [1];
        var entries = new TellingEntries(_keys, Filled(20, 2), () =>
        {
            if (seen is not null || !IsHeld(_keys[0]))
                return;
            (seen, absent) = ReadBeside(() => (Store.GetArray(_keys[0])!, Store.GetArray(_keys[^1])));
        });

        Assert.Equal(WriteStatus.Done, Store.SetMany(ref entries, SetCondition.Always));

        Assert.Equal(Filled(length, 1), seen);
        Assert.Equal(present == 1 ? Filled(length, 1) : null, absent);
        AssertAll(Filled(20, 2));
        Assert.Equal(KeyCount, Store.Count);
    }

    // All new values are there before the first one is counted and told.
    [Fact]
    public void Get_WhileALongBatchIsCounted_ReadsNewValues()
    {
        Fill(100, 1, _keys);
        byte[]?[] seen = [];
        var observer = new Observer(() =>
        {
            if (seen.Length == 0)
                seen = ReadBeside(() => Array.ConvertAll(_keys, key => Store.GetArray(key)));
        });
        Store.Attach(observer);

        SetAll(Filled(20, 2), SetCondition.Always);

        Store.Detach(observer);
        Assert.Equal(KeyCount, seen.Length);
        Assert.All(seen, value => Assert.Equal(Filled(20, 2), value));
    }

    [Theory]
    [InlineData(20)]
    [InlineData(100)]
    public void Version_OfAKeyThatALongBatchHolds_IsThatFromBefore(int length)
    {
        Fill(length, 1, _keys);
        Store.TryPeekInfo(_keys[0], out var before);
        EntryInfo held = default;
        var entries = new TellingEntries(_keys, Filled(20, 2), () =>
        {
            if (held.Length == 0 && IsHeld(_keys[0]))
                Store.TryPeekInfo(_keys[0], out held);
        });

        Store.SetMany(ref entries, SetCondition.Always);

        Store.TryPeekInfo(_keys[0], out var after);
        Assert.Equal(before.Version, held.Version);
        Assert.NotEqual(before.Version, after.Version);
    }

    [Theory]
    [InlineData(SetCondition.IfAbsent)]
    [InlineData(SetCondition.IfPresent)]
    public void SetMany_WhoseConditionDoesNotHold_ChangesNothing(SetCondition condition)
    {
        Fill(50, 1, condition == SetCondition.IfAbsent ? _keys[^1..] : _keys[..^1]);
        var versions = Array.ConvertAll(_keys, VersionOf);

        Assert.Equal(WriteStatus.ConditionNotMet, TrySetAll(Filled(20, 2), condition));

        Assert.Equal(versions, Array.ConvertAll(_keys, VersionOf));
        Assert.Equal(condition == SetCondition.IfAbsent ? 1 : KeyCount - 1, Store.Count);
    }

    [Theory]
    [InlineData(SetCondition.Always)]
    [InlineData(SetCondition.IfAbsent)]
    public void SetMany_OfManyKeysThatHaveExpired_ReplacesThem(SetCondition condition)
    {
        foreach (byte[] key in _keys)
            Store.Set(key, Filled(50, 1), ExpiringAt(_fixture.NowMs + 50));
        _fixture.Clock.Advance(60); // The next sweep comes later.

        SetAll(Filled(20, 2), condition);

        AssertAll(Filled(20, 2));
        Assert.Equal((KeyCount, 0), (Store.Count, Store.ExpiringCount));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SetMany_OfKeysThatComeTwice_KeepsTheLast(bool exist)
    {
        if (exist)
            Fill(50, 1, _keys);
        var entries = new EntryArray(
            [.. _keys.Select(static key => (key, Filled(20, 2))), .. _keys.Select(static key => (key, Filled(21, 3)))]);

        Assert.Equal(WriteStatus.Done, Store.SetMany(ref entries, SetCondition.Always));

        AssertAll(Filled(21, 3));
        Assert.Equal(KeyCount, Store.Count);
    }

    // Who begins to listen and then reads through the locks must be told of what the batch changes afterwards.
    [Theory]
    [InlineData(20)]
    [InlineData(100)]
    public void SetMany_WhileAJournalIsAttached_TellsItOfAllThatItHasNotRead(int length)
    {
        Fill(length, 1, _keys);
        var journal = new RecordingJournal();
        byte[]?[] read = [];
        RoomSteps.Observe(step =>
        {
            if (step != RoomStep.KeysFound || read.Length != 0)
                return;
            Store.Attach(journal);
            read = ReadBeside(() => Array.ConvertAll(_keys, key => Store.GetArray(key)));
        });
        try
        {
            SetAll(Filled(20, 2), SetCondition.Always);
        }
        finally
        {
            RoomSteps.Observe(null);
            Store.Detach(journal);
        }

        Assert.Equal(KeyCount, read.Length);
        Assert.All(read, value => Assert.Equal(Filled(length, 1), value));
        Assert.Equal(KeyCount, journal.Changes.Count);
    }

    // A generation is used again once nothing of it is written any more.
    // Also where nothing that was cleared lies yet: the batch is about to write it.
    [Theory]
    [InlineData(KeyCount - 1)]
    [InlineData(0)]
    public void Free_OfAKeyspaceClearedUnderALongBatch_WaitsForTheBatch(int present)
    {
        Store.Set("gone"u8, "1"u8);
        Store.Remove("gone"u8);
        Fill(100, 1, _keys[..present]);
        bool? isFreed = null;
        Thread? freeing = null;
        var entries = new TellingEntries(_keys, Filled(20, 2), () =>
        {
            if (isFreed is not null || !IsHeld(_keys[0]))
                return;
            Store.Clear();
            freeing = new Thread(StateOf(Store).Cleared.Free);
            freeing.Start();
            isFreed = freeing.Join(TimeSpan.FromMilliseconds(200)); // It waits for this batch.
        });

        Store.SetMany(ref entries, SetCondition.Always);

        Assert.False(isFreed);
        Assert.True(freeing!.Join(_patience));
        Assert.Equal(0, Store.Count);
    }

    // A read locks the bucket after some attempts; what keeps it waiting here is no attempt.
    [Fact]
    public void Get_ThatMetTheChanges_ReadsBeforeTheBatchIsUnlocked()
    {
        Store.Set(_keys[0], "value"u8);
        using var waits = new SemaphoreSlim(0);
        var state = StateOf(Store);
        var locks = KeyLocks.Rent();
        locks.EnterReadable(state, [state.HashOf(_keys[0], 0)], default);
        locks.MarkChanged(HomeOf(_keys[0]));
        locks.BeginChanges();
        byte[]? read = null;
        var reading = new Thread(() =>
        {
            int steps = 0;
            RoomSteps.Observe(step => Count(step, ref steps, waits));
            read = Store.GetArray(_keys[0]);
        });
        reading.Start();
        bool waited = waits.Wait(_patience, TestContext.Current.CancellationToken);
        locks.EndChanges();
        bool hasRead = reading.Join(_patience);
        locks.Exit();
        KeyLocks.Return(locks);

        Assert.True(waited);
        Assert.True(hasRead);
        Assert.Equal("value"u8.ToArray(), read);
    }

    private static void Count(RoomStep step, ref int steps, SemaphoreSlim waits)
    {
        if (step == RoomStep.WaitsForBucket && ++steps == 50)
            waits.Release();
    }

    private static T ReadBeside<T>(Func<T> read)
    {
        T? result = default;
        var reading = new Thread(() => result = read());
        reading.Start();
        Assert.True(reading.Join(_patience), "A reader waits.");
        return result!;
    }

    private void Fill(int length, byte fill, byte[][] keys)
    {
        foreach (byte[] key in keys)
            Store.Set(key, Filled(length, fill));
    }

    private void SetAll(byte[] value, SetCondition condition) =>
        Assert.Equal(WriteStatus.Done, TrySetAll(value, condition));

    private WriteStatus TrySetAll(byte[] value, SetCondition condition)
    {
        var entries = new TellingEntries(_keys, value, static () => { });
        return Store.SetMany(ref entries, condition);
    }

    private void AssertAll(byte[] value) => Assert.All(_keys, key => Assert.Equal(value, Store.GetArray(key)));

    private EntryVersion VersionOf(byte[] key)
    {
        Store.TryPeekInfo(key, out var info);
        return info.Version;
    }

    private bool IsHeld(byte[] key) => Bucket.IsHeld(HomeOf(key).ReadVersion());

    private Bucket HomeOf(byte[] key)
    {
        ulong hash = StateOf(Store).HashOf(key, 0);
        ulong number = StateOf(Store).ShardOf(hash).HomeNumberOf(hash);
        var page = StateOf(Store).Index.Pages[(uint)(number / IndexPage.BucketCount)];
        return page[(int)(number % IndexPage.BucketCount)];
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    /// <summary>Entries of one value, which tell when a key is asked for.</summary>
    private readonly struct TellingEntries(byte[][] keys, byte[] value, Action asked) : IEntrySource
    {
        public int Count => keys.Length;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            asked();
            return keys[index];
        }

        public ReadOnlySpan<byte> GetValue(int index) => value;
    }

    private sealed class Observer(Action noted) : ChangeObserver
    {
        public override void Note(in ChangeNote note) => noted();

        public override void Drain()
        {
        }
    }
}
