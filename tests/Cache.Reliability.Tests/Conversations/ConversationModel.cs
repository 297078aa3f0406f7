using System.Globalization;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>What redis-server 7.0.15 says to clients that transact, wait, subscribe and track, in RESP3.</summary>
/// <remarks>
/// Strings and lists, of different keys; knows the commands that <see cref="ConversationRequests"/> makes.
/// </remarks>
internal sealed partial class ConversationModel(int clients)
{
    private const string Ok = "+OK\r\n";
    private const string Nil = "_\r\n";
    private const string NotAnInteger = "-ERR value is not an integer or out of range\r\n";

    private readonly ConversingClient[] _clients =
        [.. Enumerable.Range(0, clients).Select(static _ => new ConversingClient())];

    private readonly Dictionary<string, (string Value, long EndsAtMs)> _strings = [];
    private readonly Dictionary<string, LinkedList<string>> _lists = [];
    private readonly Dictionary<string, long> _versions = [];
    private readonly Dictionary<string, HashSet<int>> _readers = [];
    private readonly Dictionary<string, HashSet<int>> _formerReaders = [];
    private readonly List<Waiter> _waiters = []; // In the order of their arrival.
    private readonly List<string> _ready = [];

    public long NowMs { get; private set; }

    public int WaitingCount => _waiters.Count;

    public int KeyCount => _strings.Count + _lists.Count;

    public ConversingClient this[int client] => _clients[client];

    public bool IsWaiting(int client) => _waiters.Exists(one => one.Client == client);

    /// <summary>All keys that exist, and their values.</summary>
    public IEnumerable<(string Key, string Value)> Strings => _strings.Select(static one => (one.Key, one.Value.Value));

    public IEnumerable<(string Key, string[] Elements)> Lists =>
        _lists.Select(static one => (one.Key, one.Value.ToArray()));

    /// <summary>A client asks: who gets which reply is noted with the clients.</summary>
    public void Ask(int client, string[] words)
    {
        if (Answer(client, words) is { } reply)
            _clients[client].Replies.Append(reply);
        Serve();
    }

    /// <summary>A connection ends, and another one begins in its place.</summary>
    public void Renew(int client)
    {
        _waiters.RemoveAll(one => one.Client == client);
        foreach (var readers in _readers.Values.Concat(_formerReaders.Values))
            readers.Remove(client);
        _clients[client] = new ConversingClient();
    }

    /// <summary>CLIENT UNBLOCK.</summary>
    public void Unblock(int client, bool hasError)
    {
        if (_waiters.RemoveAll(one => one.Client == client) > 0)
            _clients[client].Replies.Append(hasError ? "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" : Nil);
    }

    /// <summary>Time passes: entries and waits end.</summary>
    public void Advance(long ms)
    {
        NowMs += ms;
        foreach (var waiter in _waiters.Where(one => one.EndsAtMs <= NowMs).ToArray())
        {
            _waiters.Remove(waiter);
            _clients[waiter.Client].Replies.Append(Nil);
        }

        string[] expired = [.. _strings.Where(one => one.Value.EndsAtMs <= NowMs).Select(static one => one.Key)];
        foreach (string key in expired)
        {
            _strings.Remove(key);
            Touch(key);
        }
    }

    /// <summary>A write in process.</summary>
    public void Put(string key, string value)
    {
        _strings[key] = (value, long.MaxValue);
        Touch(key);
    }

    /// <summary>A push in process.</summary>
    public void PushInProcess(string key, string element)
    {
        Add(key, element, toLeft: true);
        Serve();
    }

    private string? Answer(int client, string[] words)
    {
        var state = _clients[client];
        if (state.Queue is { } queue && words[0] is not ("EXEC" or "DISCARD" or "MULTI" or "WATCH"))
        {
            if (words is ["GET"])
            {
                state.IsBroken = true;
                return "-ERR wrong number of arguments for 'get' command\r\n";
            }

            queue.Add(words);
            return "+QUEUED\r\n";
        }

        return words[0] switch
        {
            "MULTI" => Begin(state),
            "EXEC" => Execute(client),
            "DISCARD" => Discard(state),
            "WATCH" => Watch(state, words[1..]),
            "UNWATCH" => Unwatch(state),
            "SUBSCRIBE" => Subscribe(state, "subscribe", state.Channels.Add(words[1]), words[1]),
            "UNSUBSCRIBE" => Subscribe(state, "unsubscribe", state.Channels.Remove(words[1]), words[1]),
            "PSUBSCRIBE" => Subscribe(state, "psubscribe", state.Patterns.Add(words[1]), words[1]),
            "PUNSUBSCRIBE" => Subscribe(state, "punsubscribe", state.Patterns.Remove(words[1]), words[1]),
            "CLIENT" => Track(client, words[2] == "ON"),
            "BLPOP" or "BRPOP" => Pop(client, words[1..^1], words[0] == "BLPOP", EndsAt(words[^1]), canWait: true),
            "BLMOVE" => Move(client, words, canWait: true),
            _ => Do(client, words),
        };
    }

    private string Do(int client, string[] words)
    {
        switch (words[0])
        {
            case "GET":
                NoteRead(client, words[1]);
                return _strings.TryGetValue(words[1], out var entry) ? Bulk(entry.Value) : Nil;
            case "SET":
                _strings[words[1]] = (words[2], words.Length > 3 ? NowMs + Number(words[4]) : long.MaxValue);
                Touch(words[1]);
                return Ok;
            case "INCR":
                return Increment(words[1]);
            case "DEL":
                return Integer(words.Skip(1).Count(Remove));
            case "LPUSH" or "RPUSH":
                foreach (string element in words[2..])
                    Add(words[1], element, words[0] == "LPUSH");
                return Integer(_lists[words[1]].Count);
            case "LPOP":
                return _lists.ContainsKey(words[1]) ? Bulk(Take(words[1], fromLeft: true)) : Nil;
            case "LRANGE":
                NoteRead(client, words[1]);
                return _lists.TryGetValue(words[1], out var list) ? Array([.. list.Select(Bulk)]) : "*0\r\n";
            case "RENAME":
                return Rename(words[1], words[2]);
            case "PUBLISH":
                return Integer(Publish(words[1], words[2]));
            case "BLPOP" or "BRPOP":
                return Pop(client, words[1..^1], words[0] == "BLPOP", 0, canWait: false)!;
            case "BLMOVE":
                return Move(client, words, canWait: false)!;
            default:
                throw new ArgumentOutOfRangeException(nameof(words), words[0], "Not a command of the simulation.");
        }
    }

    private string Increment(string key)
    {
        var (value, endsAtMs) = _strings.TryGetValue(key, out var entry) ? entry : ("0", long.MaxValue);
        if (!long.TryParse(value, CultureInfo.InvariantCulture, out long number))
            return NotAnInteger;
        _strings[key] = ((++number).ToString(CultureInfo.InvariantCulture), endsAtMs);
        Touch(key);
        return Integer(number);
    }

    private bool Remove(string key)
    {
        bool isGone = _strings.Remove(key) | _lists.Remove(key);
        if (isGone)
            Touch(key);
        return isGone;
    }

    private string Rename(string key, string other)
    {
        if (!_lists.TryGetValue(key, out var list))
            return "-ERR no such key\r\n";
        _lists.Remove(key);
        _lists[other] = list;
        Touch(key);
        Touch(other);
        MakeReady(other);
        return Ok;
    }

    private void Touch(string key)
    {
        _versions[key] = VersionOf(key) + 1;
        if (_readers.Remove(key, out var readers))
        {
            foreach (int client in readers)
                _clients[client].Invalid.Add(key);
        }

        if (!_formerReaders.Remove(key, out var formerReaders))
            return;
        foreach (int client in formerReaders.Where(one => _clients[one].IsTracking))
            _clients[client].PerhapsInvalid.Add(key);
    }

    private void NoteRead(int client, string key)
    {
        if (!_clients[client].IsTracking)
            return;
        Of(_readers, key).Add(client);
        Of(_formerReaders, key).Remove(client);
    }

    private string Track(int client, bool isOn)
    {
        _clients[client].IsTracking = isOn;
        if (!isOn)
        {
            foreach (var (key, readers) in _readers)
            {
                if (readers.Remove(client))
                    Of(_formerReaders, key).Add(client);
            }
        }

        return Ok;
    }

    private static HashSet<int> Of(Dictionary<string, HashSet<int>> readers, string key)
    {
        if (!readers.TryGetValue(key, out var ofKey))
            readers.Add(key, ofKey = []);
        return ofKey;
    }

    private long VersionOf(string key) => _versions.GetValueOrDefault(key);

    private long EndsAt(string seconds) => seconds == "0"
        ? long.MaxValue
        : NowMs + (long)(double.Parse(seconds, CultureInfo.InvariantCulture) * 1_000);

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static string Bulk(string text) =>
        string.Create(CultureInfo.InvariantCulture, $"${text.Length}\r\n{text}\r\n");

    private static string Array(params string[] parts) => Frame('*', parts);

    private static string Push(params string[] parts) => Frame('>', parts);

    private static string Frame(char kind, string[] parts) =>
        string.Create(CultureInfo.InvariantCulture, $"{kind}{parts.Length}\r\n{string.Concat(parts)}");

    private static string Integer(long value) => string.Create(CultureInfo.InvariantCulture, $":{value}\r\n");
}
