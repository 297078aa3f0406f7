using System.Globalization;
using System.Text;

namespace Cache.Server.Tests.Waits;

/// <summary>Lists, and who waits for them, as redis-server 7.0.15 does it: replies in RESP2.</summary>
internal sealed class WaitModel
{
    public const string NullArray = "*-1\r\n";

    private readonly Dictionary<string, LinkedList<string>> _lists = [];
    private readonly List<Waiter> _waiters = []; // In the order of their arrival.
    private readonly List<string> _ready = [];

    /// <summary>The replies of the clients that waited, by the last change.</summary>
    public Dictionary<int, string> Woken { get; } = [];

    public bool IsWaiting(int client) => _waiters.Exists(one => one.Client == client);

    public IEnumerable<int> Waiting => _waiters.Select(static one => one.Client);

    /// <summary>The elements of a list.</summary>
    public IReadOnlyCollection<string> Elements(string key) =>
        _lists.TryGetValue(key, out var list) ? list : [];

    /// <summary>BLPOP and BRPOP.</summary>
    /// <returns>Null if the client waits.</returns>
    public string? Pop(int client, string[] keys, bool fromLeft, long endsAtMs)
    {
        foreach (string key in keys)
        {
            if (_lists.ContainsKey(key))
                return ReplyOfPop(key, Take(key, fromLeft));
        }

        _waiters.Add(new Waiter(client, keys, fromLeft, null, false, endsAtMs));
        return null;
    }

    /// <summary>BLMOVE.</summary>
    /// <returns>Null if the client waits.</returns>
    public string? Move(int client, string from, string to, bool fromLeft, bool toLeft, long endsAtMs)
    {
        if (_lists.ContainsKey(from))
        {
            string element = Take(from, fromLeft);
            Add(to, element, toLeft);
            Serve();
            return Bulk(element);
        }

        _waiters.Add(new Waiter(client, [from], fromLeft, to, toLeft, endsAtMs));
        return null;
    }

    /// <summary>LPUSH and RPUSH.</summary>
    public string Push(string key, string[] elements, bool toLeft)
    {
        foreach (string element in elements)
            Add(key, element, toLeft);
        int count = _lists[key].Count;
        Serve();
        return $":{count}\r\n";
    }

    /// <summary>LPOP.</summary>
    public string Pop(string key) => _lists.ContainsKey(key) ? Bulk(Take(key, fromLeft: true)) : "$-1\r\n";

    public string Delete(string key) => _lists.Remove(key) ? ":1\r\n" : ":0\r\n";

    public string Rename(string key, string other)
    {
        if (!_lists.TryGetValue(key, out var list))
            return "-ERR no such key\r\n";
        _lists.Remove(key);
        _lists[other] = list;
        MakeReady(other);
        Serve();
        return "+OK\r\n";
    }

    /// <summary>Ends a wait by other means.</summary>
    public void End(int client) => _waiters.RemoveAll(one => one.Client == client);

    /// <summary>The clients whose time is over.</summary>
    public List<int> Expire(long nowMs)
    {
        var over = _waiters.Where(one => one.EndsAtMs <= nowMs).Select(static one => one.Client).ToList();
        _waiters.RemoveAll(one => one.EndsAtMs <= nowMs);
        return over;
    }

    private static string Bulk(string text) =>
        string.Create(CultureInfo.InvariantCulture, $"${text.Length}\r\n{text}\r\n");

    private static string ReplyOfPop(string key, string element) =>
        new StringBuilder("*2\r\n").Append(Bulk(key)).Append(Bulk(element)).ToString();

    private void Serve()
    {
        while (_ready.Count > 0)
        {
            string key = _ready[0];
            _ready.RemoveAt(0);
            while (_lists.ContainsKey(key) && _waiters.Find(one => one.Keys.Contains(key)) is { } waiter)
            {
                _waiters.Remove(waiter);
                string element = Take(key, waiter.FromLeft);
                Woken.Add(waiter.Client, waiter.Destination is null ? ReplyOfPop(key, element) : Bulk(element));
                if (waiter.Destination is { } destination)
                    Add(destination, element, waiter.ToLeft);
            }
        }
    }

    private string Take(string key, bool fromLeft)
    {
        var list = _lists[key];
        string element = fromLeft ? list.First!.Value : list.Last!.Value;
        if (fromLeft)
            list.RemoveFirst();
        else
            list.RemoveLast();
        if (list.Count == 0)
            _lists.Remove(key);
        return element;
    }

    private void Add(string key, string element, bool toLeft)
    {
        if (!_lists.TryGetValue(key, out var list))
            _lists.Add(key, list = []);
        if (toLeft)
            list.AddFirst(element);
        else
            list.AddLast(element);
        MakeReady(key);
    }

    private void MakeReady(string key)
    {
        if (!_ready.Contains(key))
            _ready.Add(key);
    }

    private sealed record Waiter(
        int Client, string[] Keys, bool FromLeft, string? Destination, bool ToLeft, long EndsAtMs);
}
