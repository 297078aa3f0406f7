using System.Globalization;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>What Redis's documentation says that a server answers, over a dictionary and a moment of time.</summary>
/// <remarks>Replies are those of RESP2. Knows the commands that <see cref="SimulatedRequests"/> makes.</remarks>
internal sealed class SimulationModel
{
    private const string Nil = "$-1\r\n";
    private const string Ok = "+OK\r\n";
    private const string NotAnInteger = "-ERR value is not an integer or out of range\r\n";

    private readonly Dictionary<string, SimulatedEntry> _entries;

    public SimulationModel()
        : this([], 0)
    {
    }

    private SimulationModel(Dictionary<string, SimulatedEntry> entries, long nowMs)
    {
        _entries = entries;
        NowMs = nowMs;
    }

    public long NowMs { get; set; }

    public IReadOnlyList<string> LiveKeys => [.. _entries.Keys.Where(key => Find(key) is not null)];

    /// <summary>A model that holds of this one what has these keys, and goes its own way.</summary>
    public SimulationModel CopyOf(IEnumerable<string> keys)
    {
        var copy = new SimulationModel([], NowMs);
        foreach (string key in keys)
            copy.Take(this, key);
        return copy;
    }

    /// <summary>Has of a key from now on what the other model has.</summary>
    public void Take(SimulationModel other, string key)
    {
        if (other.Find(key) is { } entry)
            _entries[key] = entry;
        else
            _entries.Remove(key);
    }

    /// <summary>The same for two models where and only where these keys have the same entries in both.</summary>
    public string Describe(IEnumerable<string> keys) => string.Join('\n', keys.Select(key => Find(key)));

    public bool Has(string key) => Find(key) is not null;

    public SimulatedEntry? Find(string key)
    {
        if (!_entries.TryGetValue(key, out var entry))
            return null;
        if (entry.ExpiresAtMs == 0 || entry.ExpiresAtMs > NowMs)
            return entry;
        _entries.Remove(key);
        return null;
    }

    public void Remove(string key) => _entries.Remove(key);

    /// <summary>The reply to a request, which takes place.</summary>
    public string Answer(string[] words) => words[0] switch
    {
        "GET" => Bulk(Find(words[1])?.Value),
        "MGET" => $"*{words.Length - 1}\r\n{string.Concat(words.Skip(1).Select(key => Bulk(Find(key)?.Value)))}",
        "SET" => Set(words),
        "SETNX" => Find(words[1]) is null && Put(words[1], words[2], 0) ? Integer(1) : Integer(0),
        "MSET" => SetMany(words),
        "GETEX" => GetAndExpire(words),
        "GETDEL" => GetAndRemove(words[1]),
        "DEL" => Integer(words.Skip(1).Count(key => Find(key) is not null && _entries.Remove(key))),
        "EXISTS" => Integer(words.Skip(1).Count(key => Find(key) is not null)),
        "INCRBY" => Increment(words[1], long.Parse(words[2], CultureInfo.InvariantCulture)),
        "APPEND" => Append(words[1], words[2]),
        "STRLEN" => Integer(Find(words[1])?.Value.Length ?? 0),
        "PEXPIRE" => Expire(words[1], NowMs + Number(words[2]), words.ElementAtOrDefault(3)),
        "EXPIRE" => Expire(words[1], NowMs + 1_000 * Number(words[2]), words.ElementAtOrDefault(3)),
        "PERSIST" => Persist(words[1]),
        "PTTL" => Integer(TimeToLive(words[1])),
        "TTL" => Integer(TimeToLive(words[1]) is >= 0 and var ms ? (ms + 500) / 1_000 : TimeToLive(words[1])),
        _ => throw new ArgumentOutOfRangeException(nameof(words), words[0], "Not a command of the simulation."),
    };

    private string Set(string[] words)
    {
        var (key, value) = (words[1], words[2]);
        var before = Find(key);
        long expiresAtMs = 0;
        bool holds = true;
        for (int i = 3; i < words.Length; i++)
        {
            switch (words[i])
            {
                case "NX":
                    holds = before is null;
                    break;
                case "XX":
                    holds = before is not null;
                    break;
                case "KEEPTTL":
                    expiresAtMs = before?.ExpiresAtMs ?? 0;
                    break;
                case "EX":
                    expiresAtMs = NowMs + 1_000 * Number(words[++i]);
                    break;
                case "PX":
                    expiresAtMs = NowMs + Number(words[++i]);
                    break;
            }
        }

        if (holds)
            Put(key, value, expiresAtMs);
        return words.Contains("GET") ? Bulk(before?.Value) : holds ? Ok : Nil;
    }

    private string SetMany(string[] words)
    {
        for (int i = 1; i < words.Length; i += 2)
            Put(words[i], words[i + 1], 0);
        return Ok;
    }

    private string GetAndExpire(string[] words)
    {
        if (Find(words[1]) is not { } entry)
            return Nil;
        if (words.Length > 2)
            Put(words[1], entry.Value, words[2] == "PERSIST" ? 0 : NowMs + Number(words[3]));
        return Bulk(entry.Value);
    }

    private string GetAndRemove(string key)
    {
        string? value = Find(key)?.Value;
        _entries.Remove(key);
        return Bulk(value);
    }

    private string Increment(string key, long delta)
    {
        var entry = Find(key) ?? new SimulatedEntry("0", 0);
        bool isCanonical = long.TryParse(entry.Value, CultureInfo.InvariantCulture, out long number)
            && number.ToString(CultureInfo.InvariantCulture) == entry.Value;
        if (!isCanonical)
            return NotAnInteger;
        Put(key, (number + delta).ToString(CultureInfo.InvariantCulture), entry.ExpiresAtMs);
        return Integer(number + delta);
    }

    private string Append(string key, string part)
    {
        var entry = Find(key) ?? new SimulatedEntry("", 0);
        Put(key, entry.Value + part, entry.ExpiresAtMs);
        return Integer(entry.Value.Length + part.Length);
    }

    private string Expire(string key, long expiresAtMs, string? condition)
    {
        if (Find(key) is not { } entry)
            return Integer(0);
        long present = entry.ExpiresAtMs == 0 ? long.MaxValue : entry.ExpiresAtMs;
        bool holds = condition switch
        {
            "NX" => entry.ExpiresAtMs == 0,
            "XX" => entry.ExpiresAtMs != 0,
            "GT" => expiresAtMs > present,
            "LT" => expiresAtMs < present,
            _ => true,
        };
        return holds && Put(key, entry.Value, expiresAtMs) ? Integer(1) : Integer(0);
    }

    private string Persist(string key) =>
        Find(key) is { ExpiresAtMs: > 0 } entry && Put(key, entry.Value, 0) ? Integer(1) : Integer(0);

    private long TimeToLive(string key) => Find(key) switch
    {
        null => -2,
        { ExpiresAtMs: 0 } => -1,
        { } entry => entry.ExpiresAtMs - NowMs,
    };

    // True, so that it may stand in a condition.
    private bool Put(string key, string value, long expiresAtMs)
    {
        _entries[key] = new SimulatedEntry(value, expiresAtMs);
        return true;
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static string Bulk(string? value) => value is null ? Nil : $"${value.Length}\r\n{value}\r\n";

    private static string Integer(long value) => string.Create(CultureInfo.InvariantCulture, $":{value}\r\n");
}
