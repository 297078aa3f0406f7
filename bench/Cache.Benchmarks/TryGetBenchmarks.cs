using System.Text;
using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.Caching.Memory;

namespace Cache.Benchmarks;

/// <summary>A read that finds its entry, judged by its ratio to a plain dictionary's.</summary>
[MemoryDiagnoser]
public class TryGetBenchmarks
{
    private readonly byte[] _value = new byte[FilledCaches.ValueLength];
    private readonly byte[] _name = new byte[64];
    private FilledCaches _caches = null!;
    private int _next;

    [GlobalSetup]
    public void Fill() => _caches = new FilledCaches();

    [GlobalCleanup]
    public void Empty() => _caches.Dispose();

    [Benchmark(Baseline = true)]
    public bool Dictionary() => _caches.Dictionary.TryGetValue(_caches.Texts[Next()], out _);

    [Benchmark]
    public bool MemoryCache() => _caches.MemoryCache.TryGetValue(_caches.Texts[Next()], out _);

    [Benchmark]
    public bool StoreByByteKey()
    {
        var sink = new BufferSink(_value);
        return _caches.Store.TryGet(_caches.Names[Next()], ref sink);
    }

    [Benchmark]
    public bool StoreByStringKey()
    {
        int length = Encoding.UTF8.GetBytes(_caches.Texts[Next()], _name);
        var sink = new BufferSink(_value);
        return _caches.Store.TryGet(_name.AsSpan(0, length), ref sink);
    }

    private int Next() => _next = (_next + 1) & (FilledCaches.Keys - 1);
}
