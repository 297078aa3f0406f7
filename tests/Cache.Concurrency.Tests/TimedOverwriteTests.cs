using System.Buffers.Binary;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>Values with and without an expiry written over each other in place, beside readers and the sweep.</summary>
public sealed class TimedOverwriteTests
{
    private const int KeyCount = 64;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(1);

    [Fact]
    public void Values_OfEachKindOfExpiry_AreReadWhole() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 });
        var keys = new ReadOnlyMemory<byte>[KeyCount];
        for (int i = 0; i < keys.Length; i++)
            keys[i] = System.Text.Encoding.ASCII.GetBytes($"key:{i}");
        TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            long end = Environment.TickCount64 + (long)_length.TotalMilliseconds;
            while (Environment.TickCount64 < end && !stop.IsCancellationRequested)
            {
                if (thread % 2 == 0)
                    Write(store, keys, random);
                else
                    Read(store, keys);
            }
        });
        store.AssertValid(); // The counts of entries that expire, too.
    });

    // A value is a number again and again, of a key that it names; its length does not say the kind of its expiry.
    private static void Write(CacheStore store, ReadOnlyMemory<byte>[] keys, Random random)
    {
        int index = random.Next(keys.Length);
        Span<byte> value = stackalloc byte[random.Next(5, 8) * sizeof(int)];
        int number = random.Next(1 << 16) << 8 | index;
        for (int at = 0; at < value.Length; at += sizeof(int))
            BinaryPrimitives.WriteInt32LittleEndian(value[at..], number);
        var options = random.Next(6) switch
        {
            0 => default,
            1 => new EntryOptions { KeepTtl = true },
            2 => new EntryOptions { SlidingMs = random.Next(1, 3) * 60_000 },
            3 => new EntryOptions { ExpiresAtUnixMs = store.NowUnixMs + random.Next(2_000, 5_000) },
            4 => new EntryOptions { ExpiresAtMs = store.NowMs + random.Next(1, 30) },
            _ => new EntryOptions { ExpiresAtMs = store.NowMs + random.Next(2_000, 5_000) },
        };
        Assert.Equal(WriteStatus.Done, store.Set(keys[index].Span, value, options));
    }

    private static void Read(CacheStore store, ReadOnlyMemory<byte>[] keys)
    {
        byte[]?[] values = new byte[]?[keys.Length];
        int found = store.TryGetMany(keys, values);
        Assert.Equal(found, values.Count(static value => value is not null));
        for (int i = 0; i < values.Length; i++)
        {
            if (values[i] is not { } value)
                continue;
            int first = BinaryPrimitives.ReadInt32LittleEndian(value);
            Assert.Equal(i, first & 0xFF);
            for (int at = 0; at < value.Length; at += sizeof(int))
                Assert.Equal(first, BinaryPrimitives.ReadInt32LittleEndian(value.AsSpan(at)));
        }
    }
}
