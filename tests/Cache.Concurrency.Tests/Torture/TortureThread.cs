using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>One thread of a torture: reads any key, writes its own, and checks every answer.</summary>
internal sealed class TortureThread(CacheStore store, TortureKeys keys, int thread, int threads, Random random)
{
    private const int Batch = 4;
    private const int LengthMax = 100 * 1024;

    private readonly byte[] _written = new byte[LengthMax];
    private readonly byte[] _read = new byte[LengthMax * Batch];
    private readonly int[] _lengths = new int[Batch];
    private readonly int[] _picked = new int[Batch];

    public long Reads { get; private set; }

    public long Hits { get; private set; }

    public long Writes { get; private set; }

    public long Refusals { get; private set; }

    public void RunOne()
    {
        switch (random.Next(19))
        {
            case < 9:
                Read(random.Next(keys.Count));
                break;
            case < 11:
                ReadMany();
                break;
            case < 16:
                Write(OwnKey());
                break;
            case < 17:
                Exchange(OwnKey());
                break;
            case < 18:
                TakeAway(OwnKey());
                break;
            default:
                Remove(OwnKey());
                break;
        }
    }

    private int OwnKey() => random.Next((keys.Count - thread + threads - 1) / threads) * threads + thread;

    private void Read(int key)
    {
        int oldest = keys.OldestOf(key);
        var sink = new TortureSink(_read);
        CheckTaken(key, oldest, store.TryGet(keys[key], ref sink), sink);
    }

    private void ReadMany()
    {
        Span<int> oldest = stackalloc int[Batch];
        for (int i = 0; i < Batch; i++)
        {
            _picked[i] = random.Next(keys.Count);
            oldest[i] = keys.OldestOf(_picked[i]);
        }

        var batch = new KeyArray([.. _picked.Select(key => keys[key])]);
        var sink = new TortureBatchSink(_read, _lengths);
        store.GetMany(ref batch, ref sink);
        if (sink.Count != Batch)
            throw new InvalidDataException($"{sink.Count} answers to {Batch} keys.");
        for (int i = 0; i < Batch; i++)
        {
            Reads++;
            if (sink[i].IsEmpty)
                continue;
            Hits++;
            keys.Check(_picked[i], sink[i], oldest[i]);
        }
    }

    private void Write(int key)
    {
        int length = NextLength();
        int sequence = WriteNext(key, length);
        var options = random.Next(4) == 0
            ? new EntryOptions { ExpiresAtMs = store.NowMs + random.Next(1, 200) }
            : default;
        Complete(key, sequence, store.Set(keys[key], _written.AsSpan(0, length), options));
    }

    private void Exchange(int key)
    {
        int oldest = keys.OldestOf(key);
        int length = NextLength();
        int sequence = WriteNext(key, length);
        var sink = new TortureSink(_read);
        var status = store.Set(keys[key], _written.AsSpan(0, length), default, ref sink, out bool existed);
        CheckTaken(key, oldest, existed, sink);
        Complete(key, sequence, status);
    }

    private void TakeAway(int key)
    {
        int oldest = keys.OldestOf(key);
        var sink = new TortureSink(_read);
        CheckTaken(key, oldest, store.TryRemove(keys[key], ref sink), sink);
        keys.CompleteRemoval(key);
    }

    private void Remove(int key)
    {
        store.Remove(keys[key]);
        keys.CompleteRemoval(key);
    }

    private int WriteNext(int key, int length)
    {
        int sequence = keys.Start(key);
        TortureValue.Write(_written.AsSpan(0, length), (ushort)key, sequence);
        return sequence;
    }

    // Mostly small, as in life; every size up to the largest comes.
    private int NextLength() => random.Next(10) switch
    {
        < 6 => random.Next(TortureValue.LengthMin, 200),
        < 9 => random.Next(200, 4_000),
        _ => random.Next(4_000, LengthMax + 1),
    };

    private void CheckTaken(int key, int oldest, bool found, in TortureSink sink)
    {
        Reads++;
        if (found != sink.IsTaken)
            throw new InvalidDataException($"Key {key}: found {found}, but value taken {sink.IsTaken}.");
        if (!found)
            return;
        Hits++;
        keys.Check(key, sink.Value, oldest);
    }

    private void Complete(int key, int sequence, WriteStatus status)
    {
        Writes++;
        if (status == WriteStatus.Done)
            keys.Complete(key, sequence);
        else if (status == WriteStatus.OutOfMemory)
            Refusals++;
        else
            throw new InvalidOperationException($"A write was refused: {status}.");
    }
}
