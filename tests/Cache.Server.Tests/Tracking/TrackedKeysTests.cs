using System.Text;
using Cache.Core;
using Cache.Server.Tracking;
using Cache.Testing;

namespace Cache.Server.Tests.Tracking;

public sealed class TrackedKeysTests : IDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly InvalidationQueue _queue = new();
    private readonly TrackedKeys _keys;

    public TrackedKeysTests() => _keys = new TrackedKeys(_store, _queue);

    public void Dispose() => _store.Dispose();

    [Fact]
    public void AddAndTake_Random_AreAsAModel() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var model = new Dictionary<string, HashSet<long>>();
        for (int i = 0; i < 20_000; i++)
        {
            string key = new('k', random.Next(3) == 0 ? random.Next(200) : random.Next(30));
            key = random.Next(100) + key;
            if (random.Next(3) == 0)
            {
                _keys.Take(Encoding.ASCII.GetBytes(key), writer: i);
                var expected = model.Remove(key, out var clients) ? clients : [];
                Assert.Equal(
                    expected.Order().Select(client => new Invalidated(key, client, i)),
                    Sent().OrderBy(static one => one.Client));
            }
            else
            {
                long client = random.Next(1, 10);
                _keys.Add(Encoding.ASCII.GetBytes(key), client, countMax: 0);
                model.TryAdd(key, []);
                model[key].Add(client);
            }

            Assert.Equal(model.Count, _keys.Count);
        }

        Assert.Equal(model.Values.Sum(static clients => clients.Count), _keys.Items);
        foreach (string key in model.Keys)
            _keys.Take(Encoding.ASCII.GetBytes(key), writer: 0);
        Assert.Equal(model.Values.Sum(static clients => clients.Count), Sent().Count);
        Assert.Equal((0, 0, 0), (_keys.Count, _keys.Items, _keys.UsedBytes));
        _keys.Clear();
    });

    [Fact]
    public void Add_BeyondTheCount_ForgetsAnyKeysAndTells()
    {
        for (int i = 0; i < 1000; i++)
            _keys.Add(Encoding.ASCII.GetBytes($"key:{i}"), 1, countMax: 100);

        Assert.Equal(100, _keys.Count);
        var told = Sent().Select(static one => one.Key).ToHashSet();
        Assert.Equal(900, told.Count);
        for (int i = 0; i < 1000; i++)
            _keys.Take(Encoding.ASCII.GetBytes($"key:{i}"), writer: 0);
        Assert.Equal(100, Sent().Count(one => !told.Contains(one.Key)));
    }

    [Fact]
    public void Add_BeyondTheBytes_ForgetsToo()
    {
        byte[] key = new byte[10_000];
        for (int i = 0; i < 1000; i++)
        {
            BitConverter.TryWriteBytes(key, i);
            _keys.Add(key, 1, countMax: 0);
        }

        Assert.InRange(_keys.UsedBytes, 1, _keys.BytesMax);
        Assert.InRange(_keys.Count, 100, 900);
        Assert.Equal(1000 - _keys.Count, Sent().Count);
    }

    [Fact]
    public void Limit_Lowered_ForgetsInSteps()
    {
        for (int i = 0; i < 100; i++)
            _keys.Add(Encoding.ASCII.GetBytes($"key:{i}"), 1, countMax: 0);

        _keys.Limit(countMax: 10, stepsMax: 50);
        Assert.Equal(50, _keys.Count);
        _keys.Limit(countMax: 10, stepsMax: 50);

        Assert.Equal(10, _keys.Count);
    }

    [Fact]
    public void Clear_GivesTheMemoryBack_WhichTheStoreCounts()
    {
        long before = _store.GetStatistics().MemoryBytes;
        for (int i = 0; i < 5000; i++)
            _keys.Add(Encoding.ASCII.GetBytes($"key:{i}"), 1, countMax: 0);
        long held = _store.GetStatistics().MemoryBytes - before;
        Assert.InRange(held, _keys.UsedBytes, _keys.UsedBytes * 3);

        _keys.Clear();

        Assert.Equal((0, 0), (_keys.Count, _keys.UsedBytes));
        Assert.Equal(before, _store.GetStatistics().MemoryBytes);
    }

    [Fact]
    public async Task AddAndTake_ByThreads_LosesNothing()
    {
        var threads = Enumerable.Range(1, 4).Select(thread => Task.Run(() =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                byte[] key = Encoding.ASCII.GetBytes($"key:{i % 100}");
                if (i % 5 == thread)
                    _keys.Take(key, writer: thread);
                else
                    _keys.Add(key, thread, countMax: 50);
            }
        }));
        await Task.WhenAll(threads);

        long items = _keys.Items;
        Sent();
        for (int i = 0; i < 100; i++)
            _keys.Take(Encoding.ASCII.GetBytes($"key:{i}"), writer: 0);
        Assert.Equal(items, Sent().Count);
        Assert.Equal((0, 0, 0), (_keys.Count, _keys.Items, _keys.UsedBytes));
    }

    private List<Invalidated> Sent()
    {
        var sent = new List<Invalidated>();
        _queue.Send(one => sent.Add(new Invalidated(Encoding.ASCII.GetString(one.Key!), one.Client, one.Writer)));
        Assert.False(_queue.HasAny);
        return sent;
    }

    private sealed record Invalidated(string Key, long Client, long Writer);
}
