using System.Diagnostics;
using System.Globalization;
using Cache.Concurrency.Tests.Linearizability;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>One client of a history: asks at random, and notes what it was answered, or that it was not.</summary>
/// <remarks>Every value written is written once, but for sums, so that a read tells which write it saw.</remarks>
internal sealed class HistoryClient(HistoryServer server, string[] keys, int thread, Random random) : IDisposable
{
    private readonly List<KeyOperation>[] _histories = [.. keys.Select(static _ => new List<KeyOperation>())];
    private RespConnection? _connection;
    private long _lastValue = thread;

    public int LostCount { get; private set; }

    public IReadOnlyList<KeyOperation> HistoryOf(int key) => _histories[key];

    /// <summary>Whether it has a connection at present; asked between rounds.</summary>
    public bool IsConnected => _connection is not null;

    public void Clear()
    {
        foreach (var history in _histories)
            history.Clear();
    }

    public void Record(int operations)
    {
        for (int i = 0; i < operations; i++)
            RecordOne();
    }

    /// <summary>Cuts the connection off, from any thread.</summary>
    public void Cut() => Volatile.Read(ref _connection)?.Cut();

    public void Dispose() => _connection?.Dispose();

    private void RecordOne()
    {
        if (_connection is null)
            Volatile.Write(ref _connection, server.Connect());
        int key = random.Next(keys.Length);
        int other = (key + 1) % keys.Length;
        switch (random.Next(10))
        {
            case 0 or 1:
                Note(OperationKind.Get, [key], [0], ["GET", keys[key]]);
                break;
            case 2:
                Note(OperationKind.Get, [key], [0], ["GETEX", keys[key], "PERSIST"]);
                break;
            case 3:
                Note(OperationKind.Get, [key, other], [0, 0], ["MGET", keys[key], keys[other]]);
                break;
            case 4 or 5:
                NoteWrite(OperationKind.Set, "SET", key);
                break;
            case 6:
                NoteWrite(OperationKind.SetIfAbsent, "SETNX", key);
                break;
            case 7:
                long delta = random.Next(1, 4);
                Note(OperationKind.Increment, [key], [delta], ["INCRBY", keys[key], Text(delta)]);
                break;
            case 8:
                Note(OperationKind.Remove, [key], [0], ["DEL", keys[key]]);
                break;
            default:
                long one = NextValue();
                long two = NextValue();
                string[] words = ["MSET", keys[key], Text(one), keys[other], Text(two)];
                Note(OperationKind.Set, [key, other], [one, two], words);
                break;
        }
    }

    private void NoteWrite(OperationKind kind, string command, int key)
    {
        long value = NextValue();
        Note(kind, [key], [value], [command, keys[key], Text(value)]);
    }

    // Of 2 to 15 digits: some values fit where the last one was, others do not.
    private long NextValue()
    {
        _lastValue += KeyState.ThreadsMax;
        return random.Next(2) == 0 ? _lastValue * 10 : _lastValue * 1_000_000;
    }

    private void Note(OperationKind kind, int[] operands, long[] arguments, string[] words)
    {
        long invokedAt = Stopwatch.GetTimestamp();
        string?[]? reply = null;
        try
        {
            reply = _connection!.Ask(words);
        }
        catch (IOException)
        {
            _connection!.Dispose();
            Volatile.Write(ref _connection, null);
            LostCount++;
        }

        long returnedAt = reply is null ? long.MaxValue : Stopwatch.GetTimestamp();
        for (int i = 0; i < operands.Length; i++)
        {
            // One reply stands for all the keys of a write, one for each of a read.
            string? part = reply?[Math.Min(i, reply.Length - 1)];
            bool succeeded = kind is OperationKind.SetIfAbsent or OperationKind.Remove ? part == "1" : part is not null;
            long result = kind is OperationKind.Get or OperationKind.Increment && part is not null
                ? long.Parse(part, CultureInfo.InvariantCulture)
                : 0;
            _histories[operands[i]].Add(
                new KeyOperation(kind, thread, arguments[i], succeeded, result, invokedAt, returnedAt));
        }
    }

    private static string Text(long value) => value.ToString(CultureInfo.InvariantCulture);
}
