using System.Text;
using Cache.Testing;

namespace Cache.Core.Tests.Model;

/// <summary>Runs a sequence of commands on a store and on the model, and compares every answer.</summary>
/// <remarks>
/// A key's number also says its keyspace. When the store reports evictions, the entries that it no longer has are
/// taken from the model, never more than it reported; it may evict, or refuse a write, only near its limit.
/// </remarks>
internal sealed partial class ModelRun : IDisposable
{
    public const int ValueLengthMax = 60_000;

    private const int KeysPerKeyspace = 8;

    private readonly StoreFixture _fixture;
    private StoreModel _model = new();
    private readonly Dictionary<int, (EntryVersion Version, int Changes)> _versions = [];
    private readonly Dictionary<int, byte[]> _keys = [];
    // What the store reports, and what the model had to give up; an expired entry may be among the former.
    private long _evictions;
    private long _evicted;
    private long _refusals;

    // Within a transaction, its view.
    private CacheStore? _view;

    private readonly ValueCompression _compression;

    public ModelRun(
        long memoryLimitBytes, EvictionPolicy eviction, ValueCompression compression = ValueCompression.Off)
    {
        _compression = compression;
        _fixture = new StoreFixture(options =>
        {
            options.MemoryLimitBytes = memoryLimitBytes;
            options.Eviction = eviction;
            options.Compression = compression;
            options.ValueLengthMax = ValueLengthMax;
        });
        _model.NowMs = Store.NowMs;
    }

    /// <summary>How often the limit was felt: evictions and refused writes.</summary>
    public long LimitsMet => _evictions + _refusals;

    /// <summary>How many values were compressed before a command met them.</summary>
    public long Compressions { get; private set; }

    private CacheStore Store => _view ?? _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    public void Run(StoreCommand[] commands)
    {
        for (int i = 0; i < commands.Length; i++)
            RunAndCompare(commands[i], i);
        CompareAll();
    }

    private void RunAndCompare(in StoreCommand command, int index)
    {
        try
        {
            CompressBoth(command);
            Run(command);
            TakeEvictions();
            Compare(command.Key);
            Compare(command.Other);
        }
        catch (Xunit.Sdk.XunitException failure)
        {
            throw new InvalidOperationException($"Command {index}, {command}: {failure.Message}", failure);
        }
    }

    // All that the command may meet; a version that was taken before no longer holds then.
    private void CompressBoth(in StoreCommand command)
    {
        if (_compression == ValueCompression.Off || _view is not null || command.Number % 4 == 3)
            return;
        foreach (int key in new[] { command.Key, command.Other })
            Compressions += ViewOf(key).TryCompress(NameOf(key)) ? 1 : 0;
        TakeEvictions();
    }

    private void Run(in StoreCommand command)
    {
        switch (command.Kind)
        {
            case StoreCommandKind.Advance:
                _fixture.Clock.Advance(command.Length % 500);
                _model.NowMs += command.Length % 500;
                break;
            case StoreCommandKind.Clear:
                Clear(command);
                break;
            case StoreCommandKind.Scan:
                CompareScan(command);
                break;
            case StoreCommandKind.RandomKey:
                CompareRandomKey(command);
                break;
            case StoreCommandKind.GetMany or StoreCommandKind.SetMany or StoreCommandKind.Rename
                or StoreCommandKind.Copy or StoreCommandKind.Move:
                RunOnMany(command);
                break;
            case < StoreCommandKind.Set:
                RunRead(command);
                break;
            default:
                RunWrite(command);
                break;
        }
    }

    // Seldom enough that entries grow old.
    private void Clear(in StoreCommand command)
    {
        if (command.Number % 8 != 0)
            return;
        int keyspace = KeyspaceOf(command.Key);
        ViewOf(command.Key).Clear();
        foreach (int key in _model.LiveKeys.Where(key => KeyspaceOf(key) == keyspace))
            _model.Remove(key);
        Assert.Equal(0, ViewOf(command.Key).Count);
    }

    private void CompareScan(in StoreCommand command)
    {
        int keyspace = KeyspaceOf(command.Key);
        var expected = _model.LiveKeys.Where(key => KeyspaceOf(key) == keyspace)
            .Select(key => Encoding.Latin1.GetString(NameOf(key)));
        Assert.Equal(
            expected.Order(StringComparer.Ordinal),
            ViewOf(command.Key).ScanAll(1 + command.Number % 20).Order(StringComparer.Ordinal));
    }

    private void CompareRandomKey(in StoreCommand command)
    {
        int keyspace = KeyspaceOf(command.Key);
        byte[][] live = [.. _model.LiveKeys.Where(key => KeyspaceOf(key) == keyspace).Select(NameOf)];
        var sink = default(ArraySink);
        Assert.Equal(live.Length > 0, ViewOf(command.Key).TryGetRandomKey(ref sink));
        if (live.Length > 0)
            Assert.Contains(live, name => name.AsSpan().SequenceEqual(sink.Array));
    }

    /// <summary>A refusal for want of memory is right near the limit alone, and then nothing was changed.</summary>
    private bool IsRefused(WriteStatus status)
    {
        if (status != WriteStatus.OutOfMemory)
            return false;
        Assert.True(_view is not null || Store.Eviction != EvictionPolicy.AllEntries);
        AssertNearLimit();
        _refusals++;
        return true;
    }

    /// <summary>Compares the answer to a write with the model's, where the model does the same write.</summary>
    /// <remarks>To make room the store may also have evicted the very entries of the keys that it then wrote.</remarks>
    private void AssertWrite<T>(Func<StoreModel, T> write, T answer, params ReadOnlySpan<int> keys)
    {
        var before = new StoreModel(_model);
        long evictedBefore = _evicted;
        var expected = write(_model);
        bool mayHaveEvicted = Store.GetStatistics().Evictions > _evictions;
        for (int attempt = 0; attempt < 2 && mayHaveEvicted && !Equals(expected, answer); attempt++)
        {
            // Those that are gone went; only if that does not explain the answer, those that came back went as well.
            _model = new StoreModel(before);
            _evicted = evictedBefore;
            foreach (int key in keys)
            {
                if (attempt > 0 || !ViewOf(key).TryPeekInfo(NameOf(key), out _))
                    Evict(key);
            }

            expected = write(_model);
        }

        Assert.Equal(expected, answer);
    }

    private void TakeEvictions()
    {
        long evictions = Store.GetStatistics().Evictions;
        if (evictions == _evictions)
            return;
        AssertNearLimit();
        foreach (int key in _model.LiveKeys.Where(key => !ViewOf(key).TryPeekInfo(NameOf(key), out _)))
            Evict(key);
        Assert.InRange(_evicted, 0, evictions);
        _evictions = evictions;
    }

    private void Evict(int key)
    {
        if (_model.Find(key) is not { } entry)
            return;
        bool mayGo = Store.Eviction == EvictionPolicy.AllEntries
            || (Store.Eviction == EvictionPolicy.ExpiringEntries && entry.DeadlineMs != 0);
        Assert.True(mayGo, $"Key {key} was evicted, which {Store.Eviction} forbids.");
        _model.Remove(key);
        _evicted++;
    }

    private void AssertNearLimit()
    {
        var statistics = Store.GetStatistics();
        Assert.InRange(
            statistics.MemoryPeakBytes, statistics.MemoryLimitBytes * 6 / 10, statistics.MemoryLimitBytes * 102 / 100);
    }

    private void Compare(int key)
    {
        var entry = _model.Find(key);
        bool isPresent = ViewOf(key).TryPeekInfo(NameOf(key), out var info);
        Assert.Equal(
            (entry is not null, entry?.Value.Length ?? 0, entry?.DeadlineMs ?? 0, entry?.SlidingMs ?? 0),
            (isPresent, info.Length, info.ExpiresAtMs, info.SlidingMs));
    }

    private void CompareAll()
    {
        int[] live = _model.LiveKeys;
        foreach (int key in live)
        {
            Compare(key);
            Assert.Equal(_model.Read(key)!.Value, ViewOf(key).GetArray(NameOf(key)));
        }

        // Expired entries are counted until they are met; a second is enough to meet them.
        long nowMs = Store.NowMs;
        _fixture.Clock.Advance(5_000);
        _model.NowMs += Store.NowMs - nowMs;
        Assert.Equal(_model.LiveKeys.Length, Store.GetStatistics().Count);
        Assert.Equal(
            _model.LiveKeys.Count(key => _model.Find(key)!.DeadlineMs != 0), Store.GetStatistics().ExpiringCount);
    }

    private CacheStore ViewOf(int key) => Store.SelectKeyspace(KeyspaceOf(key));

    private static int KeyspaceOf(int key) => key / KeysPerKeyspace % CacheOptions.KeyspaceCountMax;

    // The same names in each keyspace: an empty one, a long one, and short ones.
    private byte[] NameOf(int key)
    {
        if (_keys.TryGetValue(key, out byte[]? name))
            return name;
        name = (key % KeysPerKeyspace) switch
        {
            0 => [],
            1 => new byte[300],
            int number => StoreFixture.Bytes($"key:{number}"),
        };
        return _keys[key] = name;
    }
}
