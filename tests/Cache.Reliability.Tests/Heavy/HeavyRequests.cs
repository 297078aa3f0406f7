namespace Cache.Reliability.Tests.Heavy;

/// <summary>Makes requests of megabytes: up to 10⁵ keys in one, and values as long as there are.</summary>
/// <param name="random">Decides.</param>
/// <param name="model">Knows which values are there.</param>
/// <param name="bytesMax">How long a request may be.</param>
/// <param name="replyBytesMax">How long a value may be that is a reply.</param>
internal sealed class HeavyRequests(Random random, HeavyModel model, int bytesMax, int replyBytesMax)
{
    private const int BytesMin = 1 << 20;
    private const int AppendedBytesMax = 1 << 20;

    private const int ManyKeysMin = 1_000;
    private const int ManyKeysMax = 100_000;

    // Many short entries; a few that are long; and such as are read.
    private const int ShortKeys = 150_000;
    private const int ShortLengthMax = 40;
    private const int LongKeyFirst = 1_000_000;
    private const int ReadKeyFirst = 2_000_000;
    private const int LongKeys = 40;
    private const int ReadKeys = 40;

    public HeavyRequest Next() => random.Next(12) switch
    {
        0 or 1 => NextShortValues(),
        2 => new HeavyRequest("MGET", ManyKeys(), []),
        3 => new HeavyRequest("DEL", ManyKeys(), []),
        4 => new HeavyRequest("EXISTS", ManyKeys(), []),
        5 => NextLongValues(),
        6 => new HeavyRequest("SET", [NextLongKey()], [NextValue(NextLength(), isExact: true)]),
        7 => NextAppend(),
        8 => new HeavyRequest("MSET", SomeReadKeys(), []).WithValues(() => NextValue(replyBytesMax)),
        9 => NextBatch(),
        10 => new HeavyRequest("GET", [ReadKeyFirst + random.Next(ReadKeys)], []),
        _ => new HeavyRequest("ECHO", [], [NextValue(replyBytesMax)]),
    };

    /// <summary>A key of a value of at least this length, if one is found soon; else of any.</summary>
    public int NextLentKey(int lengthMin)
    {
        int key = 0;
        for (int tries = LongKeys; tries > 0; tries--)
        {
            key = random.Next(2) == 0 ? NextLongKey() : ReadKeyFirst + random.Next(ReadKeys);
            if (model.Find(key) is { } value && value.Length >= lengthMin)
                break;
        }

        return key;
    }

    /// <summary>A read of several long values.</summary>
    public HeavyRequest NextBatch() => new("MGET", SomeReadKeys(), []);

    private HeavyRequest NextShortValues()
    {
        int length = random.Next(2) == 0 ? ShortLengthMax : ShortLengthMax * 10;
        return new HeavyRequest("MSET", ManyKeys(), []).WithValues(() => NextValue(length));
    }

    private HeavyRequest NextLongValues()
    {
        int count = random.Next(2, 30);
        int bytes = NextLength() / count;
        int first = random.Next(LongKeys - count);
        return new HeavyRequest("MSET", [.. Enumerable.Range(LongKeyFirst + first, count)], [])
            .WithValues(() => NextValue(2 * bytes));
    }

    // To what is there, so that it grows by steps; no further than requests are long.
    private HeavyRequest NextAppend()
    {
        int key = NextLongKey();
        int length = random.Next(AppendedBytesMax);
        if (model.Find(key) is not { } value)
            return new HeavyRequest("APPEND", [key], [NextValue(length, isExact: true)]);
        return value.Length + length < bytesMax
            ? new HeavyRequest("APPEND", [key], [value.Continuation(length)])
            : new HeavyRequest("SET", [key], [NextValue(length, isExact: true)]);
    }

    private int NextLongKey() => LongKeyFirst + random.Next(LongKeys);

    // As many of one decade as of the next.
    private int NextLength() => (int)(BytesMin * Math.Pow((double)bytesMax / BytesMin, random.NextDouble()));

    private int[] ManyKeys()
    {
        int count = (int)(ManyKeysMin * Math.Pow(ManyKeysMax / ManyKeysMin, random.NextDouble()));
        int first = random.Next(ShortKeys);
        int[] keys = new int[count];
        for (int i = 0; i < count; i++)
            keys[i] = (first + i) % ShortKeys;
        return keys;
    }

    private int[] SomeReadKeys()
    {
        int count = random.Next(1, 8);
        return [.. Enumerable.Range(ReadKeyFirst + random.Next(ReadKeys - count), count)];
    }

    private HeavyValue NextValue(int length, bool isExact = false) =>
        HeavyValue.Next(random, isExact ? length : random.Next(length));
}
