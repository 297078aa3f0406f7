namespace Cache.Reliability.Tests.Conversations;

/// <summary>Transactions, waits and channels.</summary>
internal sealed partial class ConversationModel
{
    private static string Begin(ConversingClient client)
    {
        if (client.Queue is not null)
            return "-ERR MULTI calls can not be nested\r\n";
        client.Queue = [];
        return Ok;
    }

    private string Execute(int number)
    {
        var client = _clients[number];
        if (client.Queue is not { } queue)
            return "-ERR EXEC without MULTI\r\n";
        bool isStale = client.Watched.Any(one => one.Value != VersionOf(one.Key));
        bool isBroken = client.IsBroken;
        End(client);
        if (isBroken)
            return "-EXECABORT Transaction discarded because of previous errors.\r\n";
        return isStale ? Nil : Array([.. queue.Select(words => Do(number, words))]);
    }

    private static string Discard(ConversingClient client)
    {
        if (client.Queue is null)
            return "-ERR DISCARD without MULTI\r\n";
        End(client);
        return Ok;
    }

    private static void End(ConversingClient client)
    {
        client.Queue = null;
        client.IsBroken = false;
        client.Watched.Clear();
    }

    private string Watch(ConversingClient client, string[] keys)
    {
        if (client.Queue is not null)
            return "-ERR WATCH inside MULTI is not allowed\r\n";
        foreach (string key in keys)
            client.Watched.TryAdd(key, VersionOf(key)); // The first time counts.
        return Ok;
    }

    private static string Unwatch(ConversingClient client)
    {
        client.Watched.Clear();
        return Ok;
    }

    private static string Subscribe(ConversingClient client, string kind, bool _, string name)
    {
        int count = client.Channels.Count + client.Patterns.Count;
        client.Pushes.Append(Push(Bulk(kind), Bulk(name), Integer(count)));
        return "";
    }

    private int Publish(string channel, string message)
    {
        int count = 0;
        foreach (var client in _clients)
        {
            if (client.Channels.Contains(channel))
            {
                client.Pushes.Append(Push(Bulk("message"), Bulk(channel), Bulk(message)));
                count++;
            }

            foreach (string pattern in client.Patterns)
            {
                if (!channel.StartsWith(pattern[..^1], StringComparison.Ordinal))
                    continue;
                client.Pushes.Append(Push(Bulk("pmessage"), Bulk(pattern), Bulk(channel), Bulk(message)));
                count++;
            }
        }

        return count;
    }

    // Null: it waits.
    private string? Pop(int client, string[] keys, bool fromLeft, long endsAtMs, bool canWait)
    {
        if (keys.FirstOrDefault(_lists.ContainsKey) is { } key)
            return Array(Bulk(key), Bulk(Take(key, fromLeft)));
        if (!canWait)
            return Nil;
        _waiters.Add(new Waiter(client, keys, fromLeft, null, false, endsAtMs));
        return null;
    }

    // BLMOVE source destination from to timeout
    private string? Move(int client, string[] words, bool canWait)
    {
        bool fromLeft = words[3] == "LEFT";
        bool toLeft = words[4] == "LEFT";
        if (_lists.ContainsKey(words[1]))
            return Bulk(Move(words[1], fromLeft, words[2], toLeft));
        if (!canWait)
            return Nil;
        _waiters.Add(new Waiter(client, [words[1]], fromLeft, words[2], toLeft, EndsAt(words[5])));
        return null;
    }

    private string Move(string from, bool fromLeft, string to, bool toLeft)
    {
        string element = Take(from, fromLeft);
        Add(to, element, toLeft);
        return element;
    }

    // When the command, or the transaction, has ended.
    private void Serve()
    {
        while (_ready.Count > 0)
        {
            string key = _ready[0];
            _ready.RemoveAt(0);
            while (_lists.ContainsKey(key) && _waiters.Find(one => one.Keys.Contains(key)) is { } waiter)
            {
                _waiters.Remove(waiter);
                _clients[waiter.Client].Replies.Append(waiter.Destination is { } destination
                    ? Bulk(Move(key, waiter.FromLeft, destination, waiter.ToLeft))
                    : Array(Bulk(key), Bulk(Take(key, waiter.FromLeft))));
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
        Touch(key);
        return element;
    }

    private void Add(string key, string element, bool toLeft)
    {
        if (!_lists.TryGetValue(key, out var list))
            _lists.Add(key, list = new LinkedList<string>());
        if (toLeft)
            list.AddFirst(element);
        else
            list.AddLast(element);
        Touch(key);
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
