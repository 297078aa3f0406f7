using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>Threads that read any key and write their own; a value repeats its key and its sequence.</summary>
/// <remarks>
/// A thread writes the keys whose number has its remainder, and counts up. compressesAtOnce: A value is compressed
/// where it lies as soon as it was written.
/// </remarks>
internal sealed class CompressedTorture(CacheStore store, int keys, int seed, bool compressesAtOnce = false)
{
    private static readonly int _threads = TestThreads.MoreThanCores;

    // Written by the key's owner: what was started, and what no read may go behind.
    private readonly int[] _started = new int[keys];
    private readonly int[] _oldest = new int[keys];
    private readonly Random[] _randoms = [.. Enumerable.Range(0, _threads).Select(i => new Random(seed + i))];
    private long _reads;
    private long _hits;

    public long Reads => Volatile.Read(ref _reads);

    public long Hits => Volatile.Read(ref _hits);

    /// <summary>What a value repeats.</summary>
    public static string UnitOf(int key, int sequence) =>
        string.Create(CultureInfo.InvariantCulture, $"{{\"key\":{key},\"sequence\":{sequence},\"text\":\"customer\"}}");

    /// <summary>The sequence number of a value.</summary>
    /// <exception cref="InvalidDataException">It is torn or another key's.</exception>
    public static int Verify(int key, ReadOnlySpan<byte> value)
    {
        string text = Encoding.Latin1.GetString(value);
        int from = text.IndexOf("sequence\":", StringComparison.Ordinal) + "sequence\":".Length;
        int to = from < 10 ? -1 : text.IndexOf(',', from);
        if (to < 0 || !int.TryParse(text.AsSpan(from, to - from), CultureInfo.InvariantCulture, out int sequence))
            throw new InvalidDataException($"Key {key} has a torn head: {text[..Math.Min(80, text.Length)]}");
        string unit = UnitOf(key, sequence);
        for (int at = 0; at < text.Length; at += unit.Length)
        {
            int length = Math.Min(unit.Length, text.Length - at);
            if (string.CompareOrdinal(text, at, unit, 0, length) != 0)
                throw new InvalidDataException($"Key {key}, sequence {sequence}: torn at {at} of {text.Length}.");
        }

        return sequence;
    }

    /// <summary>Runs some operations of a thread.</summary>
    public void Run(int thread, int count)
    {
        var random = _randoms[thread];
        for (int i = 0; i < count; i++)
        {
            // A few keys get most of the reads.
            int key = (int)(keys * Math.Pow(random.NextDouble(), 3));
            if (random.Next(8) != 0)
                Read(key, random);
            else
                Write(Math.Min(keys - 1 - thread, key / _threads * _threads) + thread, random);
        }
    }

    private void Read(int key, Random random)
    {
        byte[] name = NameOf(key);
        int oldest = Volatile.Read(ref _oldest[key]);
        byte[]? value;
        if (random.Next(8) == 0)
        {
            var sink = default(ArraySink);
            store.TryGetRange(name, 0, 60 + random.Next(200), ref sink);
            value = sink.Array;
        }
        else
        {
            value = store.GetArray(name);
        }

        Interlocked.Increment(ref _reads);
        if (value is null)
            return;
        Interlocked.Increment(ref _hits);
        int sequence = Verify(key, value);
        if (sequence < oldest || sequence > Volatile.Read(ref _started[key]))
            throw new InvalidDataException($"Key {key}: sequence {sequence} is not between {oldest} and the last.");
    }

    private void Write(int key, Random random)
    {
        byte[] name = NameOf(key);
        int sequence = _started[key] + 1;
        Volatile.Write(ref _started[key], sequence);
        string unit = UnitOf(key, sequence);
        int units = random.Next(20) == 0 ? 1 + random.Next(60) : 2 + random.Next(6);
        byte[] value = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat(unit, units)));
        var options = random.Next(4) == 0 ? new EntryOptions { ExpiresAtMs = store.NowMs + 1_000_000 } : default;
        var status = random.Next(50) == 0 && store.Remove(name) ? WriteStatus.Done : store.Set(name, value, options);
        if (status != WriteStatus.Done)
            throw new InvalidOperationException($"A write was refused: {status}.");
        Volatile.Write(ref _oldest[key], sequence);
        if (compressesAtOnce)
            store.TryCompress(name);
    }

    private static byte[] NameOf(int key) =>
        Encoding.Latin1.GetBytes(string.Create(CultureInfo.InvariantCulture, $"key:{key}"));
}
