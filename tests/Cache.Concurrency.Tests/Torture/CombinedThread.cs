using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>One thread of the combined torture: every kind of operation, and every answer is checked.</summary>
internal sealed class CombinedThread(CombinedStore target, int thread, int threads, Random random)
{
    private const int Batch = 4;
    private const int LargeBatch = 90; // Beyond what is overwritten without waiting.
    private const int LentMax = 2;

    private readonly CacheStore _store = target.Store;
    private readonly CacheStore _patterns = target.Patterns;
    private readonly TortureKeys _keys = target.Keys;
    private readonly byte[] _written = new byte[TortureValue.LengthMax];
    private readonly byte[] _read = new byte[TortureValue.LengthMax * Batch];
    private readonly int[] _lengths = new int[Batch];
    private readonly int[] _picked = new int[Batch];
    private readonly Queue<(LentValue Value, int Key, int Sequence)> _lent = new();

    public long Operations { get; private set; }

    public long Hits { get; private set; }

    public long Writes { get; private set; }

    public long Refusals { get; private set; }

    public void RunOne()
    {
        Operations++;
        switch (random.Next(100))
        {
            case < 25:
                Read(AnyKey());
                break;
            case < 35:
                ReadMany();
                break;
            case < 55:
                Write(OwnKey());
                break;
            case < 60:
                Exchange(OwnKey());
                break;
            case < 65:
                TakeAway(OwnKey());
                break;
            case < 68:
                Remove(OwnKey());
                break;
            case < 75:
                WriteMany(random.Next(2) == 0 ? Batch : LargeBatch);
                break;
            case < 80:
                Lend(AnyKey());
                break;
            case < 84:
                WriteWhereItStays(OwnKey());
                break;
            case < 94:
                ChangePattern();
                break;
            case < 97:
                _store.Expire(_keys[OwnKey()], _store.NowMs + random.Next(-1, 100), ExpireConditions.None);
                break;
            default:
                Walk();
                break;
        }
    }

    /// <summary>Gives back what is lent, which must be as it was, whatever became of the store.</summary>
    public void ReturnAll()
    {
        while (_lent.TryDequeue(out var lent))
            Return(lent);
    }

    private int AnyKey() => random.Next(3) == 0 ? random.Next(CombinedStore.HotKeys) : random.Next(_keys.Count);

    private int OwnKey()
    {
        int count = random.Next(3) == 0 ? CombinedStore.HotKeys : _keys.Count;
        return random.Next((count - thread + threads - 1) / threads) * threads + thread;
    }

    private void Read(int key)
    {
        int oldest = _keys.OldestOf(key);
        var sink = new TortureSink(_read);
        CheckTaken(key, oldest, _store.TryGet(_keys[key], ref sink), sink);
    }

    private void ReadMany()
    {
        Span<int> oldest = stackalloc int[Batch];
        for (int i = 0; i < Batch; i++)
        {
            _picked[i] = AnyKey();
            oldest[i] = _keys.OldestOf(_picked[i]);
        }

        var batch = new KeyArray([.. _picked.Select(key => _keys[key])]);
        var sink = new TortureBatchSink(_read, _lengths);
        _store.GetMany(ref batch, ref sink);
        for (int i = 0; i < Batch; i++)
        {
            if (!sink[i].IsEmpty)
                _keys.Check(_picked[i], sink[i], oldest[i]);
        }
    }

    private void Write(int key)
    {
        int sequence = WriteNext(key, NextLength(key), _written, out int length);
        var options = random.Next(6) switch
        {
            0 => new EntryOptions { ExpiresAtMs = _store.NowMs + random.Next(1, 200) },
            1 => new EntryOptions { SlidingMs = random.Next(1, 200) },
            _ => default,
        };
        Complete(key, sequence, _store.Set(_keys[key], _written.AsSpan(0, length), options));
    }

    private void Exchange(int key)
    {
        int oldest = _keys.OldestOf(key);
        int sequence = WriteNext(key, NextLength(key), _written, out int length);
        var sink = new TortureSink(_read);
        var status = _store.Set(_keys[key], _written.AsSpan(0, length), default, ref sink, out bool existed);
        CheckTaken(key, oldest, existed, sink);
        Complete(key, sequence, status);
    }

    private void TakeAway(int key)
    {
        int oldest = _keys.OldestOf(key);
        var sink = new TortureSink(_read);
        CheckTaken(key, oldest, _store.TryRemove(_keys[key], ref sink), sink);
        _keys.CompleteRemoval(key);
    }

    private void Remove(int key)
    {
        _store.Remove(_keys[key]);
        _keys.CompleteRemoval(key);
    }

    private void WriteMany(int count)
    {
        int[] picked = [.. Enumerable.Range(0, count).Select(_ => OwnKey()).Distinct()];
        var entries = new (byte[] Key, byte[] Value)[picked.Length];
        int[] sequences = new int[picked.Length];
        for (int i = 0; i < picked.Length; i++)
        {
            byte[] value = new byte[NextLength(picked[i])];
            sequences[i] = WriteNext(picked[i], value.Length, value, out _);
            entries[i] = (_keys[picked[i]], value);
        }

        var source = new EntryArray(entries);
        var status = _store.SetMany(ref source, SetCondition.Always);
        for (int i = 0; i < picked.Length; i++)
            Complete(picked[i], sequences[i], status);
    }

    private void Lend(int key)
    {
        int oldest = _keys.OldestOf(key);
        var sink = new TortureSink(_read);
        bool found = _store.TryGet(_keys[key], _store.BeginPrefetch(_keys[key]), ref sink, 1, out var value);
        if (value is null)
        {
            CheckTaken(key, oldest, found, sink);
            return;
        }

        _lent.Enqueue((value, key, _keys.Check(key, value.Span, oldest)));
        if (_lent.Count > LentMax)
            Return(_lent.Dequeue());
    }

    private static void Return((LentValue Value, int Key, int Sequence) lent)
    {
        using (lent.Value)
        {
            int sequence = TortureValue.Verify(lent.Value.Span, (ushort)lent.Key);
            if (sequence != lent.Sequence)
                throw new InvalidDataException($"Key {lent.Key}: lent {lent.Sequence} became {sequence}.");
        }
    }

    private void WriteWhereItStays(int key)
    {
        if (!_store.TryCreateValue(NextLength(key), out var value))
            return;
        using (value)
        {
            int sequence = WriteNext(key, value.Span.Length, value.Span, out _);
            Complete(key, sequence, _store.Set(_keys[key], value, default));
        }
    }

    private void ChangePattern()
    {
        byte[] key = target.PatternKey(random);
        byte[] other = target.PatternKey(random);
        int length = random.Next(10) == 0 ? random.Next(CombinedStore.PatternLengthMax) : random.Next(500);
        var status = WriteStatus.Done;
        switch (random.Next(8))
        {
            case < 2:
                // Where it begins is known to the store alone, so it goes on as any part of the pattern does.
                status = _patterns.Append(key, CombinedStore.Pattern[..length], out int total);
                if (status == WriteStatus.Done && total > CombinedStore.PatternLengthMax)
                    _patterns.Remove(key);
                break;
            case < 4:
                int offset = random.Next(CombinedStore.PatternLengthMax - length);
                status = _patterns.SetRange(key, offset, CombinedStore.Pattern[..length], out _);
                break;
            case 4:
                status = _patterns.Rename(key, other, SetCondition.Always);
                break;
            case 5:
                status = _patterns.Copy(key, _patterns, other, SetCondition.Always);
                break;
            case 6:
                var transaction = new PatternTransaction([key, other], _patterns.Keyspace, length);
                _patterns.Transact(ref transaction);
                status = transaction.Status;
                break;
            default:
                CombinedStore.AssertPattern(_patterns.GetArray(key));
                break;
        }

        Writes++;
        if (status == WriteStatus.OutOfMemory)
            Refusals++;
    }

    private void Walk()
    {
        var keys = new KeyListSink();
        _store.Scan((ulong)random.NextInt64(1L << 52), 20, ref keys);
        var sink = default(ArraySink);
        _store.TryPeekInfo(_keys[AnyKey()], out _);
        if (_store.TryGetRandomKey(ref sink) && !target.IsKey(sink.Array))
            throw new InvalidDataException("A key is none that anybody wrote.");
    }

    private int WriteNext(int key, int length, Span<byte> value, out int written)
    {
        int sequence = _keys.Start(key);
        TortureValue.Write(value[..length], (ushort)key, sequence);
        written = length;
        return sequence;
    }

    // The last keys have large values, all others mostly small ones.
    private int NextLength(int key) => (key >= CombinedStore.LargeKeysFrom, random.Next(20)) switch
    {
        (true, 0) => random.Next(200_000, TortureValue.LengthMax + 1),
        (true, < 8) => random.Next(30_000, 200_000),
        (_, 1) => random.Next(1_000, 40_000),
        (_, < 6) => random.Next(200, 1_000),
        _ => random.Next(TortureValue.LengthMin, 200),
    };

    private void CheckTaken(int key, int oldest, bool found, in TortureSink sink)
    {
        if (found != sink.IsTaken)
            throw new InvalidDataException($"Key {key}: found {found}, but value taken {sink.IsTaken}.");
        if (!found)
            return;
        Hits++;
        _keys.Check(key, sink.Value, oldest);
    }

    private void Complete(int key, int sequence, WriteStatus status)
    {
        Writes++;
        if (status == WriteStatus.Done)
            _keys.Complete(key, sequence);
        else if (status == WriteStatus.OutOfMemory)
            Refusals++;
        else
            throw new InvalidOperationException($"A write was refused: {status}.");
    }

    /// <summary>Reads and changes two keys; each write may be refused.</summary>
    private struct PatternTransaction(byte[][] keys, int keyspace, int length) : ITransaction
    {
        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => keys.Length;

        public readonly int WriteCount => 5;

        public readonly long WrittenBytes => 2 * length;

        public readonly ReadOnlySpan<byte> GetKey(int index) => keys[index];

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            CombinedStore.AssertPattern(store.GetArray(keys[0]));
            Status = store.Append(keys[0], CombinedStore.Pattern[..length], out int total);
            if (Status != WriteStatus.Done)
                return;
            if (total > CombinedStore.PatternLengthMax)
                store.Remove(keys[0]);
            Status = store.Rename(keys[0], keys[1], SetCondition.Always) is var status and not WriteStatus.NotFound
                ? status
                : WriteStatus.Done;
            if (Status == WriteStatus.Done)
                Status = store.Set(keys[0], CombinedStore.Pattern[..length]);
            CombinedStore.AssertPattern(store.GetArray(keys[1]));
        }
    }
}
