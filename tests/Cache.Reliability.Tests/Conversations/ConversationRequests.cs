using System.Globalization;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>Requests of clients that talk to each other through a few keys and channels.</summary>
internal sealed class ConversationRequests(Random random)
{
    private static readonly string[] _strings = ["s0", "s1", "s2", "s3"];
    private static readonly string[] _lists = ["a", "b", "c"];
    private static readonly string[] _channels = ["news", "nights", "other"];

    private int _elements;

    public string AnyString => _strings[random.Next(_strings.Length)];

    public string AnyList => _lists[random.Next(_lists.Length)];

    public string NextElement() => Number(++_elements);

    /// <summary>One or several requests in a pipeline; only the last one may wait.</summary>
    /// <param name="client">Who asks: some requests need that others came before.</param>
    public string[][] Next(ConversingClient client)
    {
        List<string[]> requests = [];
        for (int i = random.Next(1, 4); i > 0; i--)
            requests.Add(NextOne());
        if (client.Queue is null && random.Next(4) == 0)
            requests.AddRange([.. NextTransaction()]);
        else if (client.Queue is null ? random.Next(4) == 0 : random.Next(20) == 0)
            requests.Add(NextWait());
        else if (client.Queue is null && random.Next(3) == 0)
            requests.Add(NextOfChannels(client));
        else if (random.Next(10) == 0 || (client.Queue is not null && random.Next(3) == 0))
            requests.Add([new[] { "MULTI", "EXEC", "DISCARD", "EXEC" }[random.Next(4)]]);
        return [.. requests];
    }

    private IEnumerable<string[]> NextTransaction()
    {
        if (random.Next(2) == 0)
            yield return ["WATCH", AnyString, AnyList];
        if (random.Next(4) == 0)
            yield return NextOne(); // Perhaps of a watched key.
        yield return ["MULTI"];
        for (int i = random.Next(5); i > 0; i--)
            yield return random.Next(6) == 0 ? NextWait() : NextOne();
        if (random.Next(10) == 0)
            yield return ["GET"];
        if (random.Next(6) > 0) // Else it stays open for the next requests.
            yield return [random.Next(6) == 0 ? "DISCARD" : "EXEC"];
    }

    private string[] NextOne() => random.Next(16) switch
    {
        0 or 1 => ["GET", AnyString],
        2 => ["LRANGE", AnyList, "0", "-1"],
        3 or 4 => ["SET", AnyString, NextElement()],
        5 => ["SET", AnyString, random.Next(4) == 0 ? "text" : NextElement(), "PX", Number(random.Next(1, 3_000))],
        6 => ["INCR", AnyString],
        7 => ["DEL", AnyString, AnyList],
        8 or 9 => ["LPUSH", AnyList, NextElement()],
        10 => ["RPUSH", AnyList, NextElement(), NextElement()],
        11 or 12 => ["LPOP", AnyList],
        13 => NextRename(),
        _ => ["PUBLISH", _channels[random.Next(_channels.Length)], NextElement()],
    };

    // To another key: to itself it is a change of nothing.
    private string[] NextRename()
    {
        int from = random.Next(_lists.Length);
        return ["RENAME", _lists[from], _lists[(from + random.Next(1, _lists.Length)) % _lists.Length]];
    }

    private string[] NextWait()
    {
        string timeout = random.Next(2) == 0 ? "0" : "0.5";
        if (random.Next(3) == 0)
            return ["BLMOVE", AnyList, AnyList, End(), End(), timeout];
        string name = random.Next(2) == 0 ? "BLPOP" : "BRPOP";
        return random.Next(2) == 0 ? [name, AnyList, timeout] : [name, AnyList, AnyList, timeout];
    }

    private string[] NextOfChannels(ConversingClient client) => random.Next(6) switch
    {
        0 or 1 => ["SUBSCRIBE", _channels[random.Next(_channels.Length)]],
        2 => ["UNSUBSCRIBE", _channels[random.Next(_channels.Length)]],
        3 => [client.Patterns.Count == 0 ? "PSUBSCRIBE" : "PUNSUBSCRIBE", "n*"],
        _ => ["CLIENT", "TRACKING", random.Next(4) == 0 ? "OFF" : "ON"],
    };

    private string End() => random.Next(2) == 0 ? "LEFT" : "RIGHT";

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
