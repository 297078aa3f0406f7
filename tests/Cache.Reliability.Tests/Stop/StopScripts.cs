using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Stop;

/// <summary>Requests in pieces, each script on another way through the server.</summary>
internal static class StopScripts
{
    /// <summary>What the last reply of each script ends with, before its line end.</summary>
    public const string LastReply = "the last reply";

    // So many that they are executed elsewhere; and so few that a look at the clock for each is not too many points.
    private const int ManyKeys = 1_500;
    private const int FewKeys = 40;

    public static IReadOnlyDictionary<string, byte[][]> All { get; } = new Dictionary<string, byte[][]>
    {
        ["short ones"] = Pieces(Request("SET", "a", "1") + Request("GET", "a") + Request("INCR", "a"), 3),
        ["beside each other"] =
            Pieces(Request("SETEX", "b", "100", "x") + Request("APPEND", "b", "y") + Request("GETDEL", "b"), 2),
        ["a long argument"] = Pieces(Request("SET", "l", new string('l', 200_000)) + Request("STRLEN", "l"), 4),
        ["a long reply"] =
            Pieces(Request("SETRANGE", "r", "199999", "x") + Request("GET", "r") + Request("GET", "r"), 1),
        ["many keys"] = Pieces(Many("MSET", 2) + Many("EXISTS", 1) + Many("MGET", 1) + Many("DEL", 1), 5),
        ["all keys"] = Pieces(
            Many("MSET", 2, FewKeys) + Request("KEYS", "*7") + Request("LCS", "key:1", "key:1", "LEN")
                + Request("FLUSHALL"),
            2),
        ["an administrator"] = Pieces(
            Request("CONFIG", "SET", "maxmemory", "3mb") + Request("SET", "a", "1") + Request("CONFIG", "GET", "hz"),
            2),
    };

    /// <summary>Whether its requests are executed elsewhere: never; or both ways, where some are long.</summary>
    public static bool[] WaysOf(string script) =>
        script is "many keys" or "all keys" or "an administrator" or "a long reply" ? [false, true] : [false];

    public static string Request(params string[] words)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"*{words.Length}\r\n");
        foreach (string word in words)
            text.Append(CultureInfo.InvariantCulture, $"${word.Length}\r\n{word}\r\n");
        return text.ToString();
    }

    private static string Many(string command, int wordsPerKey, int keys = ManyKeys) => Request(
        [command, .. Enumerable.Range(0, keys).SelectMany(i => Enumerable.Repeat($"key:{i}", wordsPerKey))]);

    // Cut where no request ends, but the last one, which tells that all are answered.
    private static byte[][] Pieces(string text, int count)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text + Request("ECHO", LastReply));
        int length = bytes.Length / count;
        return
        [
            .. Enumerable.Range(0, count).Select(i =>
                bytes[(i * length)..(i + 1 == count ? bytes.Length : (i + 1) * length)])
        ];
    }
}
