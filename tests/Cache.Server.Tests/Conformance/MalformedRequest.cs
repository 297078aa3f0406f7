using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Cache.Server.Tests.Conformance;

/// <summary>What a client sent to Redis 7.0.15, and what came back: a line of MalformedRequests.tsv.</summary>
/// <param name="Name">What is malformed.</param>
/// <param name="Input">The bytes sent; a char is a byte, as in all texts here.</param>
/// <param name="Reply">All bytes that came back.</param>
/// <param name="Closes">Whether Redis closed the connection after that.</param>
internal sealed partial record MalformedRequest(string Name, string Input, string Reply, bool Closes)
{
    private const string ByteByByte = "one byte at a time";
    private const char Elided = '…';

    // What the file elides, from the case's name and the length that it states.
    private static readonly Dictionary<string, (string Input, string Reply)> s_long = new()
    {
        ["inline 64KiB+1 no newline"] = (new('A', 65_537), "-ERR Protocol error: too big inline request\r\n"),
        ["inline 70000 bytes with newline"] =
            ($"ECHO {new string('A', 70_000)}\r\n", $"$70000\r\n{new string('A', 70_000)}\r\n"),
        ["array header 64KiB digits"] =
            ("*" + new string('1', 65_537), "-ERR Protocol error: too big mbulk count string\r\n"),
        ["unknown long name 200"] = (
            $"*1\r\n$200\r\n{new string('Z', 200)}\r\n",
            $"-ERR unknown command '{new string('Z', 128)}', with args beginning with: \r\n"),
    };

    public static IReadOnlyList<MalformedRequest> All { get; } = [.. ReadAll()];

    private static IEnumerable<MalformedRequest> ReadAll()
    {
        using var stream = typeof(MalformedRequest).Assembly.GetManifestResourceStream("MalformedRequests.tsv")!;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        reader.ReadLine(); // The heads of the columns.
        while (reader.ReadLine() is { } line)
            yield return Parse(line.Split('\t'));
    }

    private static MalformedRequest Parse(string[] columns)
    {
        string input = columns[1], reply = columns[2];
        if (input.Contains(Elided))
            (input, reply) = Restore(columns[0], input, reply);
        else if (input.StartsWith(ByteByByte, StringComparison.Ordinal))
            input = input[(ByteByByte.Length + 2)..];
        return new MalformedRequest(columns[0], Unescape(input), Unescape(reply), columns[3] == "yes");
    }

    // The file's beginning and length must be those of what is put in its place.
    private static (string Input, string Reply) Restore(string name, string input, string reply)
    {
        var whole = s_long[name];
        int length = int.Parse(Length().Match(input).Groups[1].Value, CultureInfo.InvariantCulture);
        Assert.Equal(length, whole.Input.Length);
        Assert.StartsWith(Unescape(input[..input.IndexOf(Elided)]), whole.Input, StringComparison.Ordinal);
        Assert.StartsWith(Unescape(reply.Split(Elided)[0]), whole.Reply, StringComparison.Ordinal);
        return whole;
    }

    private static string Unescape(string text) => Escape().Replace(text, match => match.Value[1] switch
    {
        'r' => "\r",
        'n' => "\n",
        'x' => ((char)Convert.ToByte(match.Value[2..], 16)).ToString(),
        _ => match.Value[1..],
    });

    [GeneratedRegex(@"\\(x[0-9a-f]{2}|.)")]
    private static partial Regex Escape();

    [GeneratedRegex(@"\((\d+) bytes\)")]
    private static partial Regex Length();
}
