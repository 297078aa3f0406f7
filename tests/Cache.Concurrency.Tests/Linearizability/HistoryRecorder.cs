using System.Buffers.Text;
using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>One thread of a history: does random operations on a few keys and notes what it was answered.</summary>
/// <remarks>Every value written is written once, but for sums, so that a read tells which write it saw.</remarks>
internal sealed class HistoryRecorder(CacheStore store, byte[][] keys, int thread, Random random)
{
    private readonly List<KeyOperation>[] _histories = [.. keys.Select(static _ => new List<KeyOperation>())];
    private readonly EntryVersion[] _versions = new EntryVersion[keys.Length];
    private readonly bool[] _hasVersion = new bool[keys.Length];
    private long _lastValue = thread;

    public IReadOnlyList<KeyOperation> HistoryOf(int key) => _histories[key];

    /// <summary>Forgets what was noted; versions are of the last round, whose writers are no longer known.</summary>
    public void Clear()
    {
        foreach (var history in _histories)
            history.Clear();
        Array.Clear(_hasVersion);
    }

    public void Record(int operations)
    {
        for (int i = 0; i < operations; i++)
            RecordOne(random.Next(keys.Length));
    }

    /// <summary>Clears the store, which is in the history of every key.</summary>
    public void RecordClear()
    {
        long invokedAt = Stopwatch.GetTimestamp();
        store.Clear();
        long returnedAt = Stopwatch.GetTimestamp();
        foreach (var history in _histories)
            history.Add(new KeyOperation(OperationKind.Clear, thread, 0, true, 0, invokedAt, returnedAt));
    }

    public void RecordOne(int key)
    {
        var kind = (OperationKind)random.Next((int)OperationKind.TryRemove + 1);
        if (kind == OperationKind.SetIfUnchanged && !_hasVersion[key])
            kind = OperationKind.GetVersion;
        long argument = kind == OperationKind.Increment ? random.Next(1, 4) : NextValue();
        long invokedAt = Stopwatch.GetTimestamp();
        var (succeeded, result) = Do(kind, key, argument);
        long returnedAt = Stopwatch.GetTimestamp();
        _histories[key].Add(new KeyOperation(kind, thread, argument, succeeded, result, invokedAt, returnedAt));
    }

    // Of 1 to 15 digits: some values fit where the last one was, others do not.
    private long NextValue()
    {
        _lastValue += KeyState.ThreadsMax;
        return random.Next(2) == 0 ? _lastValue * 1_000 : _lastValue * 1_000_000_000;
    }

    private (bool Succeeded, long Result) Do(OperationKind kind, int key, long argument)
    {
        var sink = default(ArraySink);
        bool found;
        switch (kind)
        {
            case OperationKind.Get:
                found = store.TryGet(keys[key], ref sink);
                return (found, Parse(sink));
            case OperationKind.GetVersion:
                found = store.TryGet(keys[key], ref sink, out var info);
                _versions[key] = info.Version;
                _hasVersion[key] = true;
                return (found, Parse(sink));
            case OperationKind.Exchange:
                Require(store.Set(keys[key], Format(argument), default, ref sink, out found));
                return (found, Parse(sink));
            case OperationKind.Increment:
                Require(store.Increment(keys[key], argument, out long sum));
                return (true, sum);
            case OperationKind.Remove:
                return (store.Remove(keys[key]), 0);
            case OperationKind.TryRemove:
                found = store.TryRemove(keys[key], ref sink);
                return (found, Parse(sink));
            default:
                return (Set(kind, keys[key], argument, _versions[key]), 0);
        }
    }

    private bool Set(OperationKind kind, byte[] key, long argument, EntryVersion version)
    {
        byte[] value = Format(argument);
        var ifAbsent = new EntryOptions { Condition = SetCondition.IfAbsent };
        var status = kind switch
        {
            OperationKind.Set => store.Set(key, value),
            OperationKind.SetIfAbsent => store.Set(key, value, ifAbsent),
            _ => store.SetIfUnchanged(key, value, default, version),
        };
        if (status == WriteStatus.ConditionNotMet && kind != OperationKind.Set)
            return false;
        Require(status);
        return true;
    }

    private static byte[] Format(long value)
    {
        Span<byte> text = stackalloc byte[20];
        Utf8Formatter.TryFormat(value, text, out int length);
        return text[..length].ToArray();
    }

    private static long Parse(ArraySink sink)
    {
        if (sink.Array is null)
            return 0;
        if (!Utf8Parser.TryParse(sink.Array, out long value, out int used) || used != sink.Array.Length)
            throw new InvalidDataException($"A torn value: {Convert.ToHexString(sink.Array)}.");
        return value;
    }

    private static void Require(WriteStatus status)
    {
        if (status != WriteStatus.Done)
            throw new InvalidOperationException($"A write was refused: {status}.");
    }
}
