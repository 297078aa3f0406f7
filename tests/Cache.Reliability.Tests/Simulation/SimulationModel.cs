using System.Globalization;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>What Redis's documentation says that a server answers, over a dictionary and a moment of time.</summary>
/// <remarks>Replies are those of RESP2. Knows the commands that <see cref="SimulatedRequests"/> makes.</remarks>
internal sealed class SimulationModel
{
    private const int WallToleranceMs = 10;
    private const string Nil = "$-1\r\n";
    private const string Ok = "+OK\r\n";
    private const string NotAnInteger = "-ERR value is not an integer or out of range\r\n";

    private readonly Dictionary<string, SimulatedEntry> _entries;

    public SimulationModel()
        : this([], 0, 0)
    {
    }

    private SimulationModel(Dictionary<string, SimulatedEntry> entries, long nowMs, long wallOffsetMs)
    {
        _entries = entries;
        NowMs = nowMs;
        WallOffsetMs = wallOffsetMs;
    }

    public long NowMs { get; set; }

    /// <summary>What is added to that for the wall clock as the store takes it.</summary>
    public long WallOffsetMs { get; private set; }

    /// <summary>Takes over what the wall clock shows, unless it is within the store's tolerance.</summary>
    /// <param name="unixMs">What it shows.</param>
    /// <param name="isThere">
    /// Whether the store has a key. An entry whose moment had passed and is to come again lives on, unless the store
    /// has removed it meanwhile.
    /// </param>
    public void NoteWallClock(long unixMs, Func<string, bool> isThere)
    {
        if (Math.Abs(unixMs - NowMs - WallOffsetMs) <= WallToleranceMs)
            return;
        string[] past = [.. _entries.Keys.Except(LiveKeys)];
        WallOffsetMs = unixMs - NowMs;
        foreach (string key in past.Where(key => Has(key) && !isThere(key)))
            _entries.Remove(key);
    }

    /// <summary>Also those of entries whose moment has passed.</summary>
    public IEnumerable<string> Keys => _entries.Keys;

    public IReadOnlyList<string> LiveKeys => [.. _entries.Keys.Where(key => Find(key) is not null)];

    /// <summary>A model that holds of this one what has these keys, and goes its own way.</summary>
    public SimulationModel CopyOf(IEnumerable<string> keys)
    {
        var copy = new SimulationModel([], NowMs, WallOffsetMs);
        foreach (string key in keys)
            copy.Take(this, key);
        return copy;
    }

    /// <summary>Has of a key from now on what the other model has.</summary>
    public void Take(SimulationModel other, string key)
    {
        if (other._entries.TryGetValue(key, out var entry))
            _entries[key] = entry;
        else
            _entries.Remove(key);
    }

    /// <summary>The same for two models where and only where these keys have the same entries in both.</summary>
    public string Describe(IEnumerable<string> keys) => string.Join('\n', keys.Select(key => Find(key)));

    public bool Has(string key) => Find(key) is not null;

    public SimulatedEntry? Find(string key)
    {
        bool isLive = _entries.TryGetValue(key, out var entry)
            && (entry.Expiry.IsNever || StoreMsOf(entry.Expiry) > NowMs);
        return isLive ? entry : null;
    }

    /// <summary>An expiry in the store's time, as the clocks go now; 0: never.</summary>
    public long StoreMsOf(SimulatedExpiry expiry) =>
        expiry.IsOfWall ? Math.Max(1, expiry.AtMs - WallOffsetMs) : expiry.AtMs;

    public void Remove(string key) => _entries.Remove(key);

    public void Clear() => _entries.Clear();

    /// <summary>The reply to a request, which takes place.</summary>
    public string Answer(string[] words) => words[0] switch
    {
        "GET" => Bulk(Find(words[1])?.Value),
        "MGET" => $"*{words.Length - 1}\r\n{string.Concat(words.Skip(1).Select(key => Bulk(Find(key)?.Value)))}",
        "SET" => Set(words),
        "SETNX" => Find(words[1]) is null && Put(words[1], words[2], default) ? Integer(1) : Integer(0),
        "MSET" => SetMany(words),
        "GETEX" => GetAndExpire(words),
        "GETDEL" => GetAndRemove(words[1]),
        "DEL" => Integer(words.Skip(1).Count(key => Find(key) is not null && _entries.Remove(key))),
        "EXISTS" => Integer(words.Skip(1).Count(key => Find(key) is not null)),
        "INCRBY" => Increment(words[1], long.Parse(words[2], CultureInfo.InvariantCulture)),
        "APPEND" => Append(words[1], words[2]),
        "SETBIT" => SetBit(words[1], int.Parse(words[2], CultureInfo.InvariantCulture), words[3] == "1"),
        "GETBIT" => Integer(BitOf(Find(words[1])?.Value ?? "", int.Parse(words[2], CultureInfo.InvariantCulture))),
        "STRLEN" => Integer(Find(words[1])?.Value.Length ?? 0),
        "PEXPIRE" => Expire(words[1], ExpiryOf("PX", words[2]), words.ElementAtOrDefault(3)),
        "EXPIRE" => Expire(words[1], ExpiryOf("EX", words[2]), words.ElementAtOrDefault(3)),
        "PEXPIREAT" => Expire(words[1], ExpiryOf("PXAT", words[2]), words.ElementAtOrDefault(3)),
        "PEXPIRETIME" => Integer(MomentOf(words[1])),
        "FLUSHDB" or "FLUSHALL" => ClearAndReply(),
        "PERSIST" => Persist(words[1]),
        "PTTL" => Integer(TimeToLive(words[1])),
        "TTL" => Integer(TimeToLive(words[1]) is >= 0 and var ms ? (ms + 500) / 1_000 : TimeToLive(words[1])),
        _ => throw new ArgumentOutOfRangeException(nameof(words), words[0], "Not a command of the simulation."),
    };

    private string Set(string[] words)
    {
        var (key, value) = (words[1], words[2]);
        var before = Find(key);
        var expiry = default(SimulatedExpiry);
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
                    expiry = before?.Expiry ?? default;
                    break;
                case "EX" or "PX" or "PXAT":
                    expiry = ExpiryOf(words[i], words[++i]);
                    break;
            }
        }

        if (holds)
            Put(key, value, expiry);
        return words.Contains("GET") ? Bulk(before?.Value) : holds ? Ok : Nil;
    }

    private string SetMany(string[] words)
    {
        for (int i = 1; i < words.Length; i += 2)
            Put(words[i], words[i + 1], default);
        return Ok;
    }

    private string GetAndExpire(string[] words)
    {
        if (Find(words[1]) is not { } entry)
            return Nil;
        if (words.Length > 2)
            Put(words[1], entry.Value, words[2] == "PERSIST" ? default : ExpiryOf(words[2], words[3]));
        return Bulk(entry.Value);
    }

    private string GetAndRemove(string key)
    {
        string? value = Find(key)?.Value;
        if (value is not null)
            _entries.Remove(key);
        return Bulk(value);
    }

    private string Increment(string key, long delta)
    {
        var entry = Find(key) ?? new SimulatedEntry("0", default);
        bool isCanonical = long.TryParse(entry.Value, CultureInfo.InvariantCulture, out long number)
            && number.ToString(CultureInfo.InvariantCulture) == entry.Value;
        if (!isCanonical)
            return NotAnInteger;
        Put(key, (number + delta).ToString(CultureInfo.InvariantCulture), entry.Expiry);
        return Integer(number + delta);
    }

    private string Append(string key, string part)
    {
        var entry = Find(key) ?? new SimulatedEntry("", default);
        Put(key, entry.Value + part, entry.Expiry);
        return Integer(entry.Value.Length + part.Length);
    }

    private string SetBit(string key, int offset, bool bit)
    {
        var entry = Find(key) ?? new SimulatedEntry("", default);
        int before = BitOf(entry.Value, offset);
        char[] value = entry.Value.PadRight(offset / 8 + 1, '\0').ToCharArray();
        value[offset / 8] ^= (char)(before != (bit ? 1 : 0) ? 0x80 >> (offset % 8) : 0);
        Put(key, new string(value), entry.Expiry);
        return Integer(before);
    }

    private static int BitOf(string value, int offset) =>
        offset / 8 < value.Length ? value[offset / 8] >> (7 - offset % 8) & 1 : 0;

    private string Expire(string key, SimulatedExpiry expiry, string? condition)
    {
        if (Find(key) is not { } entry)
            return Integer(0);
        long present = entry.Expiry.IsNever ? long.MaxValue : StoreMsOf(entry.Expiry);
        bool holds = condition switch
        {
            "NX" => entry.Expiry.IsNever,
            "XX" => !entry.Expiry.IsNever,
            "GT" => StoreMsOf(expiry) > present,
            "LT" => StoreMsOf(expiry) < present,
            _ => true,
        };
        return holds && Put(key, entry.Value, expiry) ? Integer(1) : Integer(0);
    }

    private string Persist(string key) =>
        Find(key) is { Expiry.IsNever: false } entry && Put(key, entry.Value, default) ? Integer(1) : Integer(0);

    private long TimeToLive(string key) => Find(key) switch
    {
        null => -2,
        { Expiry.IsNever: true } => -1,
        { } entry => StoreMsOf(entry.Expiry) - NowMs,
    };

    private long MomentOf(string key) => Find(key) switch
    {
        null => -2,
        { Expiry.IsNever: true } => -1,
        { } entry => entry.Expiry.IsOfWall ? entry.Expiry.AtMs : entry.Expiry.AtMs + WallOffsetMs,
    };

    private SimulatedExpiry ExpiryOf(string unit, string number) => unit switch
    {
        "PXAT" => new SimulatedExpiry(Number(number), IsOfWall: true),
        "EX" => new SimulatedExpiry(NowMs + 1_000 * Number(number), IsOfWall: false),
        _ => new SimulatedExpiry(NowMs + Number(number), IsOfWall: false),
    };

    private string ClearAndReply()
    {
        Clear();
        return Ok;
    }

    // True, so that it may stand in a condition.
    private bool Put(string key, string value, SimulatedExpiry expiry)
    {
        _entries[key] = new SimulatedEntry(value, expiry);
        return true;
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static string Bulk(string? value) => value is null ? Nil : $"${value.Length}\r\n{value}\r\n";

    private static string Integer(long value) => string.Create(CultureInfo.InvariantCulture, $":{value}\r\n");
}
