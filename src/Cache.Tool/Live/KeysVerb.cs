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
    private const int PrefixesMax = 256;
    private const string PrefixesOption = "--prefixes";

    private static readonly string[] s_orders = ["requests", "reads", "writes", "bytes", "size"];
    private static readonly string[] s_prefixOrders = ["size", "keys", "reads", "writes", "bytes"];

    public static Verb Verb { get; } = new(
        "keys",
        [],
        "Shows the keys that are used most or are largest, their prefixes, or some of a pattern with their size.",
        [
            "",
            "--by ORDER         requests, reads, writes or bytes: the keys that are used most, in this order; size:",
            "                   those that take most memory; requests if neither this nor --match is given",
            "--prefixes         what keys take and make by their prefixes; --by may be size, the first one, keys,",
            "                   reads, writes or bytes",
            "--match PATTERN    keys of a pattern such as user:*, found by SCAN; reads no value, counts as no use",
            "--db N             their database, 0 if it is not given",
            "--count N          at most so many lines, 20 if it is not given",
            .. ServerAddress.Help,
        ],
        ServerAddress.Options(
            ("--by", "ORDER"), (PrefixesOption, null), ("--match", "PATTERN"), ("--db", "N"), ("--count", "N")),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        bool ofPrefixes = words.Has(PrefixesOption);
        string[] orders = ofPrefixes ? s_prefixOrders : s_orders;
        string order = words.ValueOf("--by") ?? orders[0];
        if (!orders.Contains(order))
        {
            throw new ToolException(
                $"--by {order}: {string.Join(", ", orders[..^1])} or {orders[^1]} is needed.");
        }

        if ((words.Has("--by") || ofPrefixes) && words.Has("--match"))
            throw new ToolException("--by and --prefixes are for all keys; --match has no order.");
        int count = words.NumberOf("--count", CountDefault, 1, ofPrefixes ? PrefixesMax : CountMax);
        int database = words.NumberOf("--db", 0, 0, int.MaxValue);
        using var server = ServerConnection.Open(ServerAddress.Of(words));
        if (words.ValueOf("--match") is { } pattern)
            Scan(server, pattern, database, count, output);
        else if (ofPrefixes)
            ShowPrefixes(server, order, count, output);
        else if (order == "size")
            ShowLargest(server, count, output);
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

    private static void ShowLargest(ServerConnection server, int count, Report output)
    {
        var keys = server.Call(
            "CACHE", "TOPKEYS", "BY", "size", "COUNT", count.ToString(CultureInfo.InvariantCulture)).Items;
        output.Line(keys.Count == 0
            ? "The server has not counted its keys yet."
            : $"{"memory",12} {"length",12}  db  key");
        foreach (var key in keys)
        {
            output.Line(
                $"{Field(key, "size"),12} {Field(key, "length"),12}  {Field(key, "db"),2}  "
                + KeyText.Of(key.Find("key")?.Bytes ?? []));
        }
    }

    private static void ShowPrefixes(ServerConnection server, string order, int count, Report output)
    {
        var rows = server.Call(
            "CACHE", "PREFIXES", "BY", order, "COUNT", count.ToString(CultureInfo.InvariantCulture)).Items;
        output.Line(rows.Count == 0
            ? "The server has no keys, or has not counted them yet."
            : $"{"keys",10} {"memory",12} {"time to live",14} {"reads/s",9} {"hits",7} {"writes/s",9} "
                + $"{"bytes/s",11}  prefix");
        foreach (var row in rows)
        {
            output.Line(
                $"{Field(row, "keys"),10} {Field(row, "size"),12} "
                + $"{TimeOf(NumberOf(row, "expiring") > 0 ? NumberOf(row, "ttl") : -1),14} "
                + $"{Field(row, "reads"),9} {HitsOf(row),7} {Field(row, "writes"),9} {Field(row, "bytes"),11}  "
                + KeyText.Of(row.Find("prefix")?.Bytes ?? []));
        }
    }

    private static string HitsOf(Reply row) => NumberOf(row, "reads") is > 0 and var reads
        ? string.Create(CultureInfo.InvariantCulture, $"{100.0 * NumberOf(row, "hits") / reads:F1} %")
        : "-";

    private static long NumberOf(Reply row, string name) => row.Find(name)?.Number ?? 0;

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
