using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>The requests of simulated clients: lives from milliseconds to days, values up to large ones.</summary>
/// <param name="random">Decides.</param>
/// <param name="unixNowMs">What the wall clock shows.</param>
/// <param name="hotKeys">Keys of one bucket, one in four of all.</param>
internal sealed class SimulatedRequests(Random random, Func<long> unixNowMs, string[] hotKeys)
{
    /// <summary>What all keys begin with.</summary>
    public const string KeyStart = "key:";

    private const int BitsMax = 4_000;
    private const int Keys = 1_200;

    // Rare, so that something is there to be cleared. Then several at a time, now and then: more than a keyspace has
    // generations, so that one waits until an earlier one was freed.
    private const int RequestsPerClear = 15_000;
    private const int ClearsMax = 60;

    private int _clears;

    public string[] Next()
    {
        if (random.Next(RequestsPerClear) == 0)
            _clears = random.Next(2) == 0 ? 1 : random.Next(1, ClearsMax);
        if (_clears == 0 || random.Next(2) == 0)
            return NextOfKeys();
        _clears--;
        return [random.Next(2) == 0 ? "FLUSHDB" : "FLUSHALL"];
    }

    private string[] NextOfKeys() => random.Next(20) switch
    {
        0 or 1 or 2 or 3 => ["GET", Key()],
        4 or 5 or 6 => NextSet(),
        7 => ["SETNX", Key(), Value()],
        8 => ["MGET", Key(), Key(), Key()],
        9 => ["MSET", Key(), Value(), Key(), Value()],
        10 => NextGetEx(),
        11 => ["GETDEL", Key()],
        12 => ["DEL", Key(), Key()],
        13 => ["EXISTS", Key(), Key()],
        14 => ["INCRBY", Key(), Number(random.Next(-5, 100))],
        15 => ["APPEND", Key(), Value(40)],
        16 => ["STRLEN", Key()],
        17 => NextExpire(),
        18 => [new[] { "TTL", "PTTL", "PEXPIRETIME" }[random.Next(3)], Key()],
        _ => NextOfBits(),
    };

    private string[] NextOfBits() => random.Next(3) switch
    {
        0 => ["PERSIST", Key()],
        1 => ["SETBIT", Key(), Number(random.Next(BitsMax)), Number(random.Next(2))],
        _ => ["GETBIT", Key(), Number(random.Next(BitsMax))],
    };

    public static bool IsKey(string word) => word.StartsWith(KeyStart, StringComparison.Ordinal);

    public static byte[] Encode(string[] words)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"*{words.Length}\r\n");
        foreach (string word in words)
            text.Append(CultureInfo.InvariantCulture, $"${word.Length}\r\n{word}\r\n");
        return Encoding.Latin1.GetBytes(text.ToString());
    }

    private string[] NextSet()
    {
        List<string> words = ["SET", Key(), Value()];
        if (random.Next(4) == 0)
            words.Add(random.Next(2) == 0 ? "NX" : "XX");
        else if (random.Next(4) == 0)
            words.Add("GET");
        switch (random.Next(6))
        {
            case 0:
                words.AddRange(["PX", LifeMs()]);
                break;
            case 1:
                words.AddRange(["EX", Number(random.Next(1, 100_000))]);
                break;
            case 2:
                words.AddRange(["PXAT", MomentMs()]);
                break;
            case 3 when random.Next(2) == 0:
                words.Add("KEEPTTL");
                break;
        }

        return [.. words];
    }

    private string[] NextGetEx() => random.Next(4) switch
    {
        0 => ["GETEX", Key()],
        1 => ["GETEX", Key(), "PERSIST"],
        2 => ["GETEX", Key(), "PXAT", MomentMs()],
        _ => ["GETEX", Key(), "PX", LifeMs()],
    };

    private string[] NextExpire()
    {
        string[] words = random.Next(3) switch
        {
            0 => ["PEXPIRE", Key(), LifeMs()],
            1 => ["PEXPIREAT", Key(), MomentMs()],
            _ => ["EXPIRE", Key(), Number(random.Next(1, 1_000))],
        };
        return random.Next(2) == 0 ? words : [.. words, new[] { "NX", "XX", "GT", "LT" }[random.Next(4)]];
    }

    // As many decades of lives are short as are long.
    private string LifeMs() => Number((long)Math.Pow(10, random.NextDouble() * 8) + 1);

    // Seen from now; when the request arrives, or the clock is set, it may have passed.
    private string MomentMs() => Number(unixNowMs() + (long)Math.Pow(10, random.NextDouble() * 8) - 5);

    private string Key() =>
        random.Next(4) == 0 ? hotKeys[random.Next(hotKeys.Length)] : $"{KeyStart}{random.Next(Keys)}";

    private string Value() => random.Next(25) == 0 ? Value(150_000) : Value(random.Next(4) == 0 ? 8_000 : 100);

    private string Value(int lengthMax) => random.Next(3) == 0
        ? Number(random.Next(10_000))
        : new string((char)('a' + random.Next(26)), random.Next(lengthMax));

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
