using System.Globalization;
using System.Text;
using Cache.Client;
using Cache.Client.Tests;
using Cache.Protocol;

namespace Cache.Near.Tests;

/// <summary>
/// What a near cache sees of a Redis: strings, hashes, lives, tracking, roles, slots. Replies and pushes of a
/// connection leave in the order of what they tell, as there.
/// </summary>
internal sealed class FakeRedis : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly FakeServer _server;
    private readonly Dictionary<string, string> _strings = [];
    private readonly Dictionary<string, Dictionary<string, string>> _hashes = [];
    private readonly Dictionary<string, long> _lives = [];
    private readonly HashSet<FakeClient> _tracking = [];
    private readonly HashSet<FakeClient> _subscribers = [];
    private readonly List<string> _requests = [];
    private readonly List<(FakeClient Client, string Reply)> _held = [];
    private readonly HashSet<string> _heldCommands = [];
    private readonly HashSet<string> _changedWhenRead = [];
    private readonly Dictionary<string, string> _answers = [];

    public FakeRedis() => _server = new FakeServer(Answer);

    public string EndPoint => _server.Address.ToString();

    public ServerAddress Address => _server.Address;

    public string NodeId => $"node{_server.Port}";

    /// <summary>What ROLE says.</summary>
    public string Role { get; set; } = "master";

    /// <summary>Whether it has no RESP3.</summary>
    public bool IsOld { get; set; }

    /// <summary>The ranges of a cluster; null: it is none.</summary>
    public List<(int First, int Last, FakeRedis Owner)>? Slots { get; set; }

    // With RESP2 a message looks like a reply.
    private string MessageHead => IsOld ? "*3\r\n" : ">3\r\n";

    public string[] Requests
    {
        get
        {
            lock (_gate)
                return [.. _requests];
        }
    }

    public int CountOf(string request)
    {
        lock (_gate)
            return _requests.Count(each => each == request);
    }

    /// <summary>A write of another client, which the tracking ones are told of.</summary>
    public void Set(string key, string value)
    {
        lock (_gate)
        {
            _strings[key] = value;
            Tell(key);
        }
    }

    /// <summary>A removal by another client, which the tracking ones are told of.</summary>
    public void Delete(string key)
    {
        lock (_gate)
            Remove(key);
    }

    /// <summary>A write that nobody is told of.</summary>
    public void SetSilently(string key, string value)
    {
        lock (_gate)
            _strings[key] = value;
    }

    /// <summary>A removal that nobody is told of.</summary>
    public void DeleteSilently(string key)
    {
        lock (_gate)
            _strings.Remove(key);
    }

    public void SetLife(string key, long ms)
    {
        lock (_gate)
            _lives[key] = ms;
    }

    public string? Get(string key)
    {
        lock (_gate)
            return _strings.GetValueOrDefault(key);
    }

    public string? Field(string key, string field)
    {
        lock (_gate)
            return _hashes.GetValueOrDefault(key)?.GetValueOrDefault(field);
    }

    public void PushAll(string bytes)
    {
        lock (_gate)
        {
            foreach (var client in _tracking)
                client.Send(bytes);
        }
    }

    /// <summary>A command gets no answer until <see cref="Release"/>.</summary>
    public void Hold(string command)
    {
        lock (_gate)
            _heldCommands.Add(command);
    }

    /// <summary>A command gets this answer from now on.</summary>
    public void AnswerWith(string command, string reply)
    {
        lock (_gate)
            _answers[command] = reply;
    }

    /// <summary>A command gets its own answer again.</summary>
    public void AnswerNormally(string command)
    {
        lock (_gate)
            _answers.Remove(command);
    }

    /// <summary>A key changes each time right after it was read.</summary>
    public void ChangeWhenRead(string key)
    {
        lock (_gate)
            _changedWhenRead.Add(key);
    }

    /// <summary>Sends what was held, in its order.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _heldCommands.Clear();
            foreach (var (client, reply) in _held)
                client.Send(reply);
            _held.Clear();
        }
    }

    public void Disconnect()
    {
        lock (_gate)
        {
            _tracking.Clear();
            _subscribers.Clear();
        }

        foreach (var client in _server.Clients)
            client.Close();
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private string? Answer(FakeClient client, string[] request)
    {
        lock (_gate)
        {
            _requests.Add(string.Join(' ', request));
            string reply = _answers.GetValueOrDefault(request[0]) ?? ReplyTo(client, request);
            if (_heldCommands.Contains(request[0]) || _held.Exists(held => held.Client == client))
                _held.Add((client, reply));
            else
                client.Send(reply);
            if (request[0] is "GET" && _changedWhenRead.Contains(request[1]))
                Tell(request[1]);
            return "";
        }
    }

    private string ReplyTo(FakeClient client, string[] request) => request[0] switch
    {
        "HELLO" when IsOld => "-ERR unknown command `HELLO`\r\n",
        "HELLO" => Slots is null
            ? FakeServer.HelloReply
            : FakeServer.HelloReply.Replace("$10\r\nstandalone", "$7\r\ncluster"),
        "CLIENT" => Track(client),
        "ROLE" => $"*1\r\n{FakeServer.Bulk(Role)}",
        "CLUSTER" => request[1] == "MYID" ? FakeServer.Bulk(NodeId) : SlotsReply(),
        "GET" => Moved(request[1]) ?? BulkOrNull(_strings.GetValueOrDefault(request[1])),
        "HMGET" => Fields(request),
        "PTTL" => $":{LifeOf(request[1])}\r\n",
        "SET" => Moved(request[1]) ?? Store(request),
        "HSET" => StoreFields(request),
        "DEL" => $":{(Remove(request[1]) ? 1 : 0)}\r\n",
        "PEXPIRE" => Expire(request),
        "PERSIST" => ":0\r\n",
        "PING" => "+PONG\r\n",
        "SUBSCRIBE" => Subscribe(client, request[1]),
        "PUBLISH" => Publish(request[1], request[2]),
        _ => "+OK\r\n",
    };

    private string Track(FakeClient client)
    {
        _tracking.Add(client);
        return "+OK\r\n";
    }

    private string Subscribe(FakeClient client, string channel)
    {
        _subscribers.Add(client);
        return $"{MessageHead}{FakeServer.Bulk("subscribe")}{FakeServer.Bulk(channel)}:1\r\n";
    }

    private string Publish(string channel, string message)
    {
        string told = MessageHead + FakeServer.Bulk("message") + FakeServer.Bulk(channel) + FakeServer.Bulk(message);
        foreach (var client in _subscribers)
            client.Send(told);
        return $":{_subscribers.Count}\r\n";
    }

    private string? Moved(string key)
    {
        if (Slots is null)
            return null;
        int slot = KeySlot.Of(Encoding.UTF8.GetBytes(key));
        var owner = Slots.First(range => slot >= range.First && slot <= range.Last).Owner;
        return owner == this ? null : $"-MOVED {slot} {owner.EndPoint}\r\n";
    }

    private string SlotsReply()
    {
        var reply = new StringBuilder().Append(CultureInfo.InvariantCulture, $"*{Slots!.Count}\r\n");
        foreach (var (first, last, owner) in Slots)
        {
            reply.Append(CultureInfo.InvariantCulture, $"*3\r\n:{first}\r\n:{last}\r\n*3\r\n")
                .Append(FakeServer.Bulk(owner.Address.Host))
                .Append(CultureInfo.InvariantCulture, $":{owner.Address.Port}\r\n")
                .Append(FakeServer.Bulk(owner.NodeId));
        }

        return reply.ToString();
    }

    private string Fields(string[] request)
    {
        var hash = _hashes.GetValueOrDefault(request[1]);
        return $"*{request.Length - 2}\r\n"
            + string.Concat(request[2..].Select(field => BulkOrNull(hash?.GetValueOrDefault(field))));
    }

    private long LifeOf(string key) => _lives.TryGetValue(key, out long life)
        ? life
        : _strings.ContainsKey(key) || _hashes.ContainsKey(key) ? -1 : -2;

    private string Store(string[] request)
    {
        _strings[request[1]] = request[2];
        if (request is [_, _, _, "PX", var life])
            _lives[request[1]] = long.Parse(life, CultureInfo.InvariantCulture);
        Tell(request[1]);
        return "+OK\r\n";
    }

    private string StoreFields(string[] request)
    {
        var hash = _hashes[request[1]] = [];
        for (int i = 2; i < request.Length; i += 2)
            hash[request[i]] = request[i + 1];
        Tell(request[1]);
        return ":3\r\n";
    }

    private string Expire(string[] request)
    {
        _lives[request[1]] = long.Parse(request[2], CultureInfo.InvariantCulture);
        Tell(request[1]);
        return ":1\r\n";
    }

    private bool Remove(string key)
    {
        bool wasThere = _strings.Remove(key) | _hashes.Remove(key);
        Tell(key);
        return wasThere;
    }

    private void Tell(string key)
    {
        foreach (var client in _tracking)
        {
            string push = $">2\r\n$10\r\ninvalidate\r\n*1\r\n{FakeServer.Bulk(key)}";
            if (_held.Exists(held => held.Client == client))
                _held.Add((client, push));
            else
                client.Send(push);
        }
    }

    private static string BulkOrNull(string? text) => text is null ? "_\r\n" : FakeServer.Bulk(text);
}
