using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Concurrency.Tests.Linearizability;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>One user of a register of several keys, strings and hashes: each operation is a transaction.</summary>
/// <remarks>
/// Over a connection that is cut off now and then, also in the middle of a transaction, or in process. All keys always
/// hold one number: where two of them differ, a transaction was seen in part, or lost one.
/// </remarks>
internal sealed class TransactionHistoryClient(HistoryServer server, int thread, bool isInProcess, Random random)
    : IDisposable
{
    private const int CutOneIn = 100;

    private static readonly string[] _strings = ["string:0", "string:1", "string:2", "string:3"];
    private static readonly string[] _hashes = ["hash:0", "hash:1"];
    private static readonly string[] _keys = [.. _strings, .. _hashes];
    private static readonly byte[][] _keyBytes = [.. _keys.Select(Encoding.ASCII.GetBytes)];

    private readonly List<KeyOperation> _history = [];
    private RespConnection? _connection;
    private long _lastValue = thread;

    public int LostCount { get; private set; }

    /// <summary>SetIfUnchanged that were done, and all.</summary>
    public (int Done, int All) Conditional { get; private set; }

    public IReadOnlyList<KeyOperation> History => _history;

    /// <summary>The number that all keys hold; null: there are none.</summary>
    public static long? Read(CacheStore store)
    {
        long? number = null;
        KeyedTransaction.Run(store, _keyBytes, 1, 0, view => number = NumberOf(view));
        return number;
    }

    public void Record(int operations)
    {
        _history.Clear();
        for (int i = 0; i < operations; i++)
            RecordOne();
    }

    /// <summary>Ends the connection, so that nothing is under way any more.</summary>
    public void Dispose()
    {
        _connection?.Dispose();
        _connection = null;
    }

    private void RecordOne()
    {
        var kind = random.Next(10) switch
        {
            0 or 1 => OperationKind.Get,
            2 or 3 => OperationKind.Set,
            4 or 5 => OperationKind.Increment,
            6 or 7 => OperationKind.Exchange,
            8 => OperationKind.Remove,
            _ => OperationKind.GetVersion,
        };
        if (isInProcess && kind == OperationKind.GetVersion)
            kind = OperationKind.Exchange;
        bool isDone = Note(kind);
        if (kind == OperationKind.GetVersion && isDone)
            Note(OperationKind.SetIfUnchanged);
    }

    private bool Note(OperationKind kind)
    {
        long argument = kind == OperationKind.Increment ? random.Next(1, 4) : NextValue();
        long invokedAt = Stopwatch.GetTimestamp();
        (bool Succeeded, long Result)? outcome = isInProcess ? DoInProcess(kind, argument) : TryAsk(kind, argument);
        long returnedAt = outcome is null ? long.MaxValue : Stopwatch.GetTimestamp();
        var (succeeded, result) = outcome.GetValueOrDefault();
        _history.Add(new KeyOperation(kind, thread, argument, succeeded, result, invokedAt, returnedAt));
        if (kind == OperationKind.SetIfUnchanged && outcome is not null)
            Conditional = (Conditional.Done + (succeeded ? 1 : 0), Conditional.All + 1);
        return outcome is not null;
    }

    // Of 2 to 15 digits: some values fit where the last one was, others do not.
    private long NextValue()
    {
        _lastValue += KeyState.ThreadsMax;
        return random.Next(2) == 0 ? _lastValue * 10 : _lastValue * 1_000_000;
    }

    private (bool Succeeded, long Result)? TryAsk(OperationKind kind, long argument)
    {
        _connection ??= server.Connect();
        try
        {
            if (random.Next(CutOneIn) == 0)
                ThreadPool.UnsafeQueueUserWorkItem(static one => one.Cut(), _connection, preferLocal: false);
            return Ask(_connection, kind, Text(argument));
        }
        catch (IOException)
        {
            LostCount++;
            _connection.Dispose();
            _connection = null;
            return null;
        }
    }

    private static (bool Succeeded, long Result) Ask(RespConnection connection, OperationKind kind, string argument)
    {
        switch (kind)
        {
            case OperationKind.Get:
                return One(Transact(connection, Gets)!);
            case OperationKind.GetVersion:
                connection.Ask(["WATCH", .. _keys]);
                return One(connection.Ask("GET", _strings[0]));
            case OperationKind.Set:
                Transact(connection, Sets(argument));
                return (true, 0);
            case OperationKind.SetIfUnchanged:
                return (Transact(connection, Sets(argument)) is not null, 0);
            case OperationKind.Exchange:
                return One(Transact(connection, [.. Gets, .. Sets(argument)])![.._keys.Length]);
            case OperationKind.Increment:
                return One(Transact(connection, Increments(argument))!);
            default:
                return One(Transact(connection, [["DEL", .. _keys[..3]], ["DEL", .. _keys[3..]]])!) is var (_, count)
                    && count is 0 or 3 ? (count == 3, 0) : throw new InvalidDataException($"{count} of 3 removed.");
        }
    }

    private static string[][] Gets =>
    [
        .. _strings.Select(static key => new[] { "GET", key }),
        .. _hashes.Select(static key => new[] { "HGET", key, "n" }),
    ];

    private static string[][] Sets(string argument) =>
    [
        .. _strings.Select(key => new[] { "SET", key, argument }),
        .. _hashes.Select(key => new[] { "HSET", key, "n", argument }),
    ];

    private static string[][] Increments(string argument) =>
    [
        .. _strings.Select(key => new[] { "INCRBY", key, argument }),
        .. _hashes.Select(key => new[] { "HINCRBY", key, "n", argument }),
    ];

    // Null where a watched key was written. One in four is sent in two parts.
    private static string?[]? Transact(RespConnection connection, string[][] requests)
    {
        connection.Add("MULTI");
        if (requests[0][^1].Length % 4 == 0)
            connection.Send();
        foreach (string[] request in requests)
            connection.Add(request);
        connection.Add("EXEC");
        connection.Send();
        for (int i = 0; i <= requests.Length; i++)
            connection.ReadReply();
        string?[] replies = connection.ReadReply();
        return replies.Length == requests.Length ? replies : replies is [null] ? null
            : throw new InvalidDataException($"{replies.Length} replies to {requests.Length} requests.");
    }

    private static (bool Succeeded, long Result) One(string?[] values)
    {
        if (values.Any(value => value != values[0]))
            throw new InvalidDataException($"Parts of several transactions: {string.Join(", ", values)}.");
        return values[0] is { } text ? (true, long.Parse(text, CultureInfo.InvariantCulture)) : (false, 0);
    }

    private (bool Succeeded, long Result) DoInProcess(OperationKind kind, long argument)
    {
        long? before = null;
        long? after = null;
        KeyedTransaction.Run(server.Store, _keyBytes, 1, 2 * _keys.Length, view =>
        {
            before = NumberOf(view);
            if (kind == OperationKind.Remove)
            {
                foreach (byte[] key in _keyBytes)
                    view.Remove(key);
            }
            else if (kind != OperationKind.Get)
            {
                after = kind == OperationKind.Increment ? before.GetValueOrDefault() + argument : argument;
                Write(view, Encoding.ASCII.GetBytes(Text(after.Value)));
            }
        });
        return kind switch
        {
            OperationKind.Set => (true, 0),
            OperationKind.Remove => (before is not null, 0),
            OperationKind.Increment => (true, after!.Value),
            _ => (before is not null, before.GetValueOrDefault()),
        };
    }

    private static void Write(CacheStore store, byte[] value)
    {
        for (int i = 0; i < _keys.Length; i++)
        {
            var status = i < _strings.Length
                ? store.Set(_keyBytes[i], value)
                : store.Hash(_keyBytes[i]).Set("n"u8, value);
            if (status != WriteStatus.Done)
                throw new InvalidDataException($"{_keys[i]} was refused: {status}.");
        }
    }

    private static long? NumberOf(CacheStore store)
    {
        string?[] values = new string?[_keys.Length];
        for (int i = 0; i < _keys.Length; i++)
        {
            byte[]? value = i < _strings.Length
                ? store.GetArray(_keyBytes[i])
                : store.Hash(_keyBytes[i]).GetArray("n"u8);
            values[i] = value is null ? null : Encoding.ASCII.GetString(value);
        }

        var (isThere, number) = One(values);
        return isThere ? number : null;
    }

    private static string Text(long value) => value.ToString(CultureInfo.InvariantCulture);
}
