using System.Text;
using BenchmarkDotNet.Attributes;
using Cache.Core;
using Microsoft.Extensions.Caching.Memory;

namespace Cache.Benchmarks;

/// <summary>A write over an entry that is there, judged by its ratio to a plain dictionary's.</summary>
[MemoryDiagnoser]
public class SetBenchmarks
{
    private readonly byte[] _value = new byte[FilledCaches.ValueLength];
    private readonly byte[] _name = new byte[64];
    private FilledCaches _caches = null!;
    private int _next;

    [GlobalSetup]
    public void Fill() => _caches = new FilledCaches();

    [GlobalCleanup]
    public void Empty() => _caches.Dispose();

    // The caller's bytes are not kept: all subjects copy them.
    [Benchmark(Baseline = true)]
    public void Dictionary() => _caches.Dictionary[_caches.Texts[Next()]] = _value.ToArray();

    [Benchmark]
    public byte[] MemoryCache() => _caches.MemoryCache.Set(_caches.Texts[Next()], _value.ToArray());

    [Benchmark]
    public WriteStatus StoreByByteKey() => _caches.Store.Set(_caches.Names[Next()], _value);

    [Benchmark]
    public WriteStatus StoreByStringKey()
    {
        int length = Encoding.UTF8.GetBytes(_caches.Texts[Next()], _name);
        return _caches.Store.Set(_name.AsSpan(0, length), _value);
    }

    private int Next() => _next = (_next + 1) & (FilledCaches.Keys - 1);
}
