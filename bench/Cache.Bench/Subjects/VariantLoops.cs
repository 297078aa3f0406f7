using System.Buffers.Binary;
using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>A loop over a block of keys.</summary>
/// <param name="Name">What it does.</param>
/// <param name="Beside">The name of what it is compared with.</param>
/// <param name="Store">What it reads and writes.</param>
/// <param name="Run">Returns the number of wrong answers.</param>
internal readonly record struct Variant(string Name, string Beside, CacheStore Store, Func<VariantKeys, int> Run);

/// <summary>The loops of <see cref="Verbs.VariantsVerb"/>.</summary>
internal static class VariantLoops
{
    private const string Get = "GET";
    private const string Set = "SET over a plain entry";
    private const int HourMs = 3_600_000;

    private static readonly int[] _batches = [16, 64, VariantKeys.Count];

    public static IEnumerable<Variant> All(int keys, int valueLength)
    {
        var plain = Loaded(keys, valueLength, default);
        var options = new EntryOptions { ExpiresAtMs = plain.NowMs + HourMs };
        var timed = Loaded(keys, valueLength, options);
        var mixed = Loaded(keys, valueLength, options);
        var sliding = Loaded(keys, valueLength, new EntryOptions { SlidingMs = HourMs });
        yield return new(Get, Get, plain, block => GetEach(plain, block));
        yield return new("GET, TTL", Get, timed, block => GetEach(timed, block));
        yield return new("GET, sliding", Get, sliding, block => GetEach(sliding, block));
        foreach (int batch in _batches)
            yield return new($"GetMany of {batch}", Get, plain, block => GetMany(plain, block, batch));
        foreach (int batch in _batches)
            yield return new($"TryGetMany of {batch}", Get, plain, block => TryGetMany(plain, block, batch));
        yield return new(Set, Set, plain, block => SetEach(plain, block, default));
        foreach (int batch in _batches)
            yield return new($"SetMany of {batch}", Set, plain, block => SetMany(plain, block, batch));
        yield return new(
            "SET with TTL over one with TTL", Set, timed,
            block => SetEach(timed, block, new EntryOptions { ExpiresAtMs = timed.NowMs + HourMs }));
        yield return new("the same, the clock read for each", Set, timed, block => SetTimed(timed, block));
        yield return new(
            "SET with TTL by the wall clock", Set, timed,
            block => SetEach(timed, block, new EntryOptions { ExpiresAtUnixMs = timed.NowUnixMs + HourMs }));
        yield return new(
            "SET sliding over sliding", Set, sliding,
            block => SetEach(sliding, block, new EntryOptions { SlidingMs = HourMs }));
        yield return new("SET with and without TTL in turn", Set, mixed, block => SetMixed(mixed, block));
        yield return new(
            "SET over one with TTL, which it keeps", Set, timed,
            block => SetEach(timed, block, new EntryOptions { KeepTtl = true }));
    }

    private static CacheStore Loaded(int keys, int valueLength, EntryOptions options)
    {
        var store = new CacheStore(StoreSubject.OptionsFor(keys, valueLength));
        Span<byte> key = stackalloc byte[BenchKey.Length];
        byte[] value = new byte[valueLength];
        for (int i = 0; i < keys; i++)
        {
            BenchKey.Write(i, key);
            BinaryPrimitives.WriteInt32LittleEndian(value, i);
            store.Set(key, value, options);
        }

        return store;
    }

    private static int GetEach(CacheStore store, VariantKeys block)
    {
        int wrong = 0;
        for (int i = 0; i < VariantKeys.Count; i++)
        {
            var sink = new SpanSink(block.ReadAt(i));
            wrong += store.TryGet(block.Key(i), ref sink) ? 0 : 1;
        }

        return wrong + block.WrongFrom(0, VariantKeys.Count);
    }

    private static int GetMany(CacheStore store, VariantKeys block, int batch)
    {
        int wrong = 0;
        for (int start = 0; start < VariantKeys.Count; start += batch)
        {
            var keys = new VariantBatch(block, start, batch);
            var sink = new StrideSink(block.Read.AsSpan(start * block.ValueLength), block.ValueLength);
            store.GetMany(ref keys, ref sink);
            wrong += sink.Misses + block.WrongFrom(start, batch);
        }

        return wrong;
    }

    private static int TryGetMany(CacheStore store, VariantKeys block, int batch)
    {
        int wrong = 0;
        for (int start = 0; start < VariantKeys.Count; start += batch)
        {
            var keys = new VariantBatch(block, start, batch);
            var sink = new IndexedSink(block.Read.AsSpan(start * block.ValueLength), block.ValueLength);
            wrong += batch - store.TryGetMany(ref keys, ref sink) + block.WrongFrom(start, batch);
        }

        return wrong;
    }

    private static int SetEach(CacheStore store, VariantKeys block, EntryOptions options)
    {
        int wrong = 0;
        for (int i = 0; i < VariantKeys.Count; i++)
            wrong += store.Set(block.Key(i), block.Value(i), options) == WriteStatus.Done ? 0 : 1;
        return wrong;
    }

    private static int SetTimed(CacheStore store, VariantKeys block)
    {
        int wrong = 0;
        for (int i = 0; i < VariantKeys.Count; i++)
        {
            var options = new EntryOptions { ExpiresAtMs = store.NowMs + HourMs };
            wrong += store.Set(block.Key(i), block.Value(i), options) == WriteStatus.Done ? 0 : 1;
        }

        return wrong;
    }

    private static int SetMixed(CacheStore store, VariantKeys block)
    {
        long expiresAtMs = store.NowMs + HourMs;
        int wrong = 0;
        for (int i = 0; i < VariantKeys.Count; i++)
        {
            var options = new EntryOptions { ExpiresAtMs = (i & 1) == 0 ? expiresAtMs : 0 };
            wrong += store.Set(block.Key(i), block.Value(i), options) == WriteStatus.Done ? 0 : 1;
        }

        return wrong;
    }

    private static int SetMany(CacheStore store, VariantKeys block, int batch)
    {
        int wrong = 0;
        for (int start = 0; start < VariantKeys.Count; start += batch)
        {
            var entries = new VariantBatch(block, start, batch);
            wrong += store.SetMany(ref entries, SetCondition.Always) == WriteStatus.Done ? 0 : 1;
        }

        return wrong;
    }
}
