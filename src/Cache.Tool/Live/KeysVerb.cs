using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Live;

/// <summary>Shows the keys of a running server: those that are used most, or those of a pattern.</summary>
internal static class KeysVerb
{
    private const int CountDefault = 20;
    private const int CountMax = 1024;
    private const int CountPerScan = 1000;

    public static Verb Verb { get; } = new(
        "keys",
        [],
        "Shows the keys that are used most, or some of a pattern with their size and time to live.",
        [
            "",
            "--by ORDER         reads, writes or bytes: the keys that are used most, in this order; reads if neither",
            "                   this nor --match is given",
            "--match PATTERN    keys of a pattern such as user:*, found by SCAN; reads no value, counts as no use",
            "--db N             their database, 0 if it is not given",
            "--count N          at most so many lines, 20 if it is not given",
            .. ServerAddress.Help,
        ],
        ServerAddress.Options(("--by", "ORDER"), ("--match", "PATTERN"), ("--db", "N"), ("--count", "N")),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        string order = words.ValueOf("--by") ?? "reads";
        if (order is not ("reads" or "writes" or "bytes"))
            throw new ToolException($"--by {order}: reads, writes or bytes is needed.");
        if (words.Has("--by") && words.Has("--match"))
            throw new ToolException("--by is for the keys that are used most; --match has no order.");
        int count = words.NumberOf("--count", CountDefault, 1, CountMax);
        int database = words.NumberOf("--db", 0, 0, int.MaxValue);
        using var server = ServerConnection.Open(ServerAddress.Of(words));
        if (words.ValueOf("--match") is { } pattern)
            Scan(server, pattern, database, count, output);
        else
            ShowTop(server, order, count, output);
        return ExitCode.Whole;
    }

    private static void ShowTop(ServerConnection server, string order, int count, Report output)
    {
        var keys = server.Call(
            "CACHE", "TOPKEYS", "BY", order, "COUNT", count.ToString(CultureInfo.InvariantCulture)).Items;
        if (keys.Count == 0)
            output.Line("No key was used in the last seconds.");
        else
            output.Line($"{"reads/s",10} {"writes/s",10} {"bytes/s",12} {"length",12}  db  key");
        foreach (var key in keys)
        {
            output.Line(
                $"{Field(key, "reads"),10} {Field(key, "writes"),10} {Field(key, "bytes"),12} "
                + $"{Field(key, "length"),12}  {Field(key, "db"),2}  {KeyText.Of(key.Find("key")?.Bytes ?? [])}");
        }
    }

    private static string Field(Reply key, string name) => key.Find(name)?.Text ?? "";

    private static void Scan(ServerConnection server, string pattern, int database, int count, Report output)
    {
        server.Call("SELECT", database.ToString(CultureInfo.InvariantCulture));
        _ = server.TryCall("CLIENT", "NO-TOUCH", "ON"); // Its right may be missing; then the looks count as uses.
        string cursor = "0";
        int shown = 0;
        bool isCut = false;
        do
        {
            var page = server.Call(
                "SCAN", cursor, "MATCH", pattern, "COUNT", CountPerScan.ToString(CultureInfo.InvariantCulture));
            if (page.Items is not [var next, { Items: var keys }])
                throw new InvalidDataException("The reply of SCAN is none.");
            cursor = next.Text;
            isCut = keys.Count > count - shown;
            foreach (var key in keys.Take(count - shown))
            {
                if (shown++ == 0)
                    output.Line($"{"memory",12} {"time to live",16}  key");
                Show(server, key.Bytes, output);
            }
        }
        while (cursor != "0" && shown < count);
        if (shown == 0)
            output.Line("No key matches.");
        else if (isCut || cursor != "0")
            output.Line("There may be more: --count N shows them.");
    }

    private static void Show(ServerConnection server, byte[] key, Report output)
    {
        server.Send("PTTL"u8.ToArray(), key);
        server.Send("MEMORY"u8.ToArray(), "USAGE"u8.ToArray(), key);
        var rest = server.Receive();
        var memory = server.Receive();
        if (memory.Kind != ReplyKind.Number)
            return; // Gone meanwhile, or the user may not look at it.
        output.Line($"{memory.Number,12} {TimeOf(rest.Number),16}  {KeyText.Of(key)}");
    }

    private static string TimeOf(long milliseconds) => milliseconds < 0
        ? "none"
        : string.Create(CultureInfo.InvariantCulture, $"{milliseconds / 1000.0:F1} s");
}
