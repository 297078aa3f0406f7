using System.Globalization;
using System.Text;
using Cache.Server.Commands.Table;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Makes random sessions: valid, mutated and hostile requests of several clients, cut anywhere.</summary>
/// <remarks>
/// The commands and their numbers of arguments come from the server's own table, so that a new command is fuzzed
/// without a word here.
/// </remarks>
/// <param name="random">Decides.</param>
/// <param name="keys">The keys that most requests are about; null: any few.</param>
/// <param name="subscribes">Whether clients subscribe to channels: then one's replies depend on others.</param>
internal sealed class SessionGenerator(Random random, string[]? keys = null, bool subscribes = false)
{
    private const int ConnectionsMax = 4;

    // Those that end the server, wait (AUTH after failures, WAIT without end, MIGRATE for a server of any name, on
    // threads that a session without threads does not wait for), turn a connection into a stream, change
    // who may do what, or let others push to the client (CLIENT TRACKING, which has a torture of its own). The answer
    // to LCS takes a time of the product of two values' lengths, so that it has keys of its own. PFSELFTEST takes a
    // tenth of a second and no input.
    private static readonly string[] _excluded =
    [
        "shutdown", "monitor", "sync", "psync", "acl", "auth", "wait", "waitaof", "lcs", "subscribe",
        "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "failover", "replicaof", "slaveof",
        "client|pause", "client|tracking", "cache|unsafe", "pfselftest", "migrate",
        "multi", // Only in whole transactions: how many replies follow depends on what is queued.
    ];

    // What a transaction must not have: their effect on replies comes with EXEC, in the middle of its reply.
    private static readonly string[] _neverQueued = ["client|reply", "quit", "reset", "exec", "discard"];

    private static readonly string[] _words =
    [
        "EX", "PX", "EXAT", "PXAT", "NX", "XX", "GT", "LT", "GET", "KEEPTTL", "PERSIST", "COUNT", "MATCH", "TYPE",
        "LEN", "REPLACE", "DB", "ABSOLUTE", "string",
        "AND", "XOR", "NOT", "BIT", "SET", "INCRBY", "OVERFLOW", "SAT", "FAIL", "u8", "i64", "#1",
        "SYNC", "server", "on", "off", "skip", "reply", "*", "a*",
        "[a-", "\\", "", "2", "3", "0", "-1", "1", "10", "100", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1.5", "1e308", "nan", "-inf", "0x10", " 1", "01", "+1", "maxmemory", "4mb", "2097152",
        "maxmemory-policy", "allkeys-lru", "volatile-lru", "noeviction", "hz", "appendonly", "no",
    ];

    private static readonly byte[][] _hostile =
    [
        .. new[]
        {
            "*-1\r\n", "*0\r\n", "*1\r\n$-1\r\n", "*2147483647\r\n", "*2147483648\r\n", "*1048577\r\n$1\r\na\r\n",
            "*1\r\n$536870913\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$99999999\r\n", "*1\r\n:4\r\n", "*x\r\n", "*\r\n",
            "*1\r\n$\r\n", "*01\r\n", "*1\r\n$04\r\nPING\r\n", "*1\r\n$4\r\nPINGxx", "\r\n", "\n", " \t\r\n",
            "PING\r\n", "ping\n", "GET \"a\\x6b\" \r\n", "GET 'it\\'s'\r\n", "SET k \"open\r\n", "GET \"a\"b\r\n",
            "ECHO a\vb\fc\r\n", "ECHO \0hidden\r\n", "*1\0\r\n", "$4\r\nPING\r\n", "+OK\r\n", ">1\r\n$4\r\nPING\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "QUIT\r\n", "*1\r\n$4\r\nQUIT\r\n",
            "*3\r\n$3\r\nGET\r\n", "*-2147483648\r\n", "*1\r\n$0\r\n\r\n", "*2\r\n$0\r\n\r\n$0\r\n\r\n",
        }.Select(Encoding.Latin1.GetBytes),
        [.. Enumerable.Repeat((byte)'A', 66_000)],
        [(byte)'*', .. Enumerable.Repeat((byte)'1', 66_000)],
        [0xFF, 0xFE, 0x00, 0x80],
    ];

    private static readonly string[] _streamLines =
    [
        "XADD key id field value", "XADD key id field value other value", "XADD key NOMKSTREAM id value value",
        "XADD key MAXLEN ~ count id field value", "XADD key MINID id id field value", "XDEL key id id",
        "XTRIM key MAXLEN count", "XTRIM key MINID ~ id LIMIT count", "XSETID key id", "XLEN key",
        "XRANGE key id + COUNT count", "XREVRANGE key + -", "XREAD COUNT count STREAMS key key id id",
        "XGROUP CREATE key group id MKSTREAM", "XGROUP CREATE key group $", "XGROUP SETID key group id",
        "XGROUP DESTROY key group", "XGROUP CREATECONSUMER key group consumer",
        "XGROUP DELCONSUMER key group consumer", "XREADGROUP GROUP group consumer COUNT count STREAMS key >",
        "XREADGROUP GROUP group consumer NOACK STREAMS key key > id", "XACK key group id id",
        "XPENDING key group", "XPENDING key group IDLE count - + count consumer",
        "XCLAIM key group consumer count id id FORCE", "XCLAIM key group consumer 0 id JUSTID LASTID id",
        "XAUTOCLAIM key group consumer 0 id COUNT count", "XINFO STREAM key FULL COUNT count", "XINFO GROUPS key",
        "XINFO CONSUMERS key group", "COPY key key REPLACE", "RENAME key key", "DEL key",
    ];

    // Whose connection it ends is not seen from what that connection sent.
    private const string Unsettling = "client|kill";

    private static readonly CommandDefinition[] _commands =
    [
        .. CommandTable.Default.All.Where(static command => command.Subcommands is null
            && !_excluded.Contains(command.Name) && !_excluded.Contains(ContainerOf(command)))
    ];

    // Blocking commands with these are answered at once; those that wait have a model of their own, which knows who
    // wakes them: WaitModelTests.
    private static readonly string[] _timeouts = ["-1", "x", "", "1e400", "-inf", "nan", " 1", "-9223372036854775809"];

    private static readonly HashSet<CommandDefinition> _blocking =
        [
        .. _commands.Where(static one =>
            one.Name[0] == 'b' && one.Row.GetProperty("flags").EnumerateArray().Any(IsBlocking)),
    ];

    private readonly MemoryStream _bytes = new();
    private bool _isCalm;

    public FuzzSession Next(int requests)
    {
        var steps = new List<FuzzStep>();
        _isCalm = random.Next(4) > 0;
        int connections = random.Next(1, ConnectionsMax + 1);
        int made = 0;
        while (made < requests)
        {
            int connection = random.Next(connections);
            if (random.Next(40) == 0)
            {
                steps.Add(Interruption(connection));
                continue;
            }

            int count = random.Next(4) == 0 ? 1 : random.Next(2, 80);
            made += count;
            _bytes.SetLength(0);
            for (int i = 0; i < count; i++)
                WriteRequest();
            AddPieces(steps, connection, _bytes.ToArray());
        }

        return new FuzzSession(steps);
    }

    private FuzzStep Interruption(int connection) => random.Next(4) switch
    {
        0 => new FuzzStep(FuzzStepKind.Close, connection, []),
        1 => new FuzzStep(FuzzStepKind.Vanish, connection, []),
        _ => new FuzzStep(FuzzStepKind.Advance, random.Next(2) == 0 ? random.Next(300) : random.Next(100_000), []),
    };

    private void AddPieces(List<FuzzStep> steps, int connection, byte[] bytes)
    {
        int pieces = random.Next(3) switch { 0 => 1, 1 => random.Next(1, 4), _ => random.Next(1, 12) };
        int[] cuts = [.. Enumerable.Range(1, pieces - 1).Select(_ => random.Next(bytes.Length)).Order(), bytes.Length];
        int start = 0;
        foreach (int end in cuts)
        {
            if (end > start)
                steps.Add(new FuzzStep(FuzzStepKind.Send, connection, bytes[start..end]));
            start = end;
        }
    }

    // Mostly valid ones: after a mistake the connection is over, and nothing more is learnt from it.
    private void WriteRequest()
    {
        int dice = random.Next(1_000);
        if (dice < 2)
            _bytes.Write(_hostile[random.Next(_hostile.Length)]);
        else if (dice < 6)
            WriteMutated();
        else if (dice < 10)
            WriteTransaction();
        else if (dice < 20 && subscribes)
            WriteSubscription();
        else if (dice < 60)
            WriteOfStream();
        else if (dice < 500)
            WriteCommon();
        else
            WriteAnyCommand();
    }

    // Of words at random nearly none is a command of streams that does something.
    private void WriteOfStream()
    {
        string[] words = _streamLines[random.Next(_streamLines.Length)].Split(' ');
        WriteArray([.. words.Select(WordOfStream)]);
    }

    private byte[] WordOfStream(string word) => word switch
    {
        "key" => Encoding.Latin1.GetBytes($"stream:{random.Next(3)}"),
        "id" => Encoding.Latin1.GetBytes($"{random.Next(30)}-{random.Next(3)}"),
        "count" => Encoding.Latin1.GetBytes($"{random.Next(12)}"),
        "group" or "consumer" => Encoding.Latin1.GetBytes($"{word}{random.Next(2)}"),
        "value" => Value(),
        _ => InAnyCase(word),
    };

    private void WriteTransaction()
    {
        if (random.Next(3) == 0)
            WriteArray("WATCH"u8.ToArray(), Key());
        WriteArray("MULTI"u8.ToArray());
        for (int i = random.Next(random.Next(10) == 0 ? 300 : 12); i > 0; i--)
        {
            if (random.Next(3) == 0)
                WriteCommon();
            else
                WriteAnyCommand(_neverQueued);
        }

        WriteArray(random.Next(10) == 0 ? "DISCARD"u8.ToArray() : "EXEC"u8.ToArray());
    }

    // A client of RESP2 may do little until it has ended its subscriptions, so that most of these end them.
    private void WriteSubscription()
    {
        string word = (random.Next(3) == 0 ? "" : "un") + "subscribe";
        string kind = new[] { "", "p", "s" }[random.Next(3)];
        var names = Enumerable.Range(0, random.Next(3)).Select(_ => new[] { "a", "b", "*", "[", "" }[random.Next(5)]);
        WriteArray([InAnyCase(kind + word), .. names.Select(Encoding.Latin1.GetBytes)]);
    }

    private void WriteMutated()
    {
        long start = _bytes.Length;
        WriteAnyCommand(mayBlock: false);
        byte[] request = _bytes.ToArray()[(int)start..];
        _bytes.SetLength(start);
        for (int i = random.Next(1, 4); i > 0; i--)
            request = Mutate(request);
        _bytes.Write(request);
    }

    private byte[] Mutate(byte[] bytes)
    {
        if (bytes.Length == 0)
            return bytes;
        int at = random.Next(bytes.Length);
        switch (random.Next(5))
        {
            case 0:
                bytes[at] = (byte)random.Next(256);
                return bytes;
            case 1:
                bytes[at] ^= (byte)(1 << random.Next(8));
                return bytes;
            case 2:
                return [.. bytes[..at], .. bytes[(at + 1)..]];
            case 3:
                return [.. bytes[..at], .. "\r\n$*0"u8.ToArray().Skip(random.Next(5)).Take(1), .. bytes[at..]];
            default:
                return [.. bytes[..at], .. bytes[Math.Min(bytes.Length, at + random.Next(6))..], .. bytes[..at]];
        }
    }

    private void WriteCommon()
    {
        if (random.Next(2) == 0)
            WriteArray("GET"u8.ToArray(), Key());
        else
            WriteArray("SET"u8.ToArray(), Key(), Value());
    }

    private void WriteAnyCommand(string[]? omitted = null, bool mayBlock = true)
    {
        var command = _commands[random.Next(_commands.Length)];
        bool isBlocking = _blocking.Contains(command);
        if ((_isCalm && command.Name == Unsettling) || omitted?.Contains(command.Name) == true
            || (isBlocking && !mayBlock))
        {
            return;
        }

        int least = Math.Abs(command.Arity);
        int count = command.Arity > 0 ? least : least + random.Next(5);
        if (random.Next(30) == 0)
            count = Math.Max(1, count + random.Next(-2, 3));
        if (random.Next(500) == 0)
            count += random.Next(200);
        string[] name = command.Name.Split('|');
        var words = new byte[Math.Max(count, name.Length)][];
        for (int i = 0; i < words.Length; i++)
            words[i] = i < name.Length ? InAnyCase(name[i]) : Argument(command, i);
        if (isBlocking && words.Length > 1)
            words[command.FirstKey > 0 ? ^1 : 1] = Encoding.Latin1.GetBytes(_timeouts[random.Next(_timeouts.Length)]);
        if (random.Next(20) == 0 && words.All(IsPlain))
            WriteLine(words);
        else
            WriteArray(words);
    }

    private byte[] Argument(CommandDefinition command, int index)
    {
        bool isKey = command.FirstKey > 0 && index >= command.FirstKey
            && (command.LastKey < 0 || index <= command.LastKey)
            && (index - command.FirstKey) % Math.Max(1, command.KeyStep) == 0;
        if (isKey && random.Next(20) > 0)
            return Key();
        return random.Next(4) switch
        {
            0 => Encoding.Latin1.GetBytes(_words[random.Next(_words.Length)]),
            1 => Encoding.Latin1.GetBytes(random.Next(1, 200).ToString(CultureInfo.InvariantCulture)),
            2 => Key(),
            _ => Value(),
        };
    }

    private byte[] Key() => random.Next(50) == 0
        ? RandomBytes(random.Next(300))
        : Encoding.Latin1.GetBytes(keys is null ? $"key:{random.Next(64)}" : keys[random.Next(keys.Length)]);

    private byte[] Value() => random.Next(200) switch
    {
        0 => RandomBytes(random.Next(20_000)),
        < 40 => Encoding.Latin1.GetBytes(random.Next(-100, 1_000).ToString(CultureInfo.InvariantCulture)),
        _ => RandomBytes(random.Next(40)),
    };

    private byte[] RandomBytes(int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    private byte[] InAnyCase(string word) => Encoding.Latin1.GetBytes(random.Next(4) switch
    {
        0 => word.ToUpperInvariant(),
        1 => string.Concat(word.Select(letter => random.Next(2) == 0 ? letter : char.ToUpperInvariant(letter))),
        _ => word,
    });

    private void WriteArray(params byte[][] words)
    {
        Write($"*{words.Length}\r\n");
        foreach (byte[] word in words)
        {
            Write($"${word.Length}\r\n");
            _bytes.Write(word);
            _bytes.Write("\r\n"u8);
        }
    }

    private void WriteLine(byte[][] words)
    {
        foreach (byte[] word in words)
        {
            _bytes.Write(word);
            _bytes.WriteByte((byte)' ');
        }

        _bytes.Write("\r\n"u8);
    }

    private void Write(string text) => _bytes.Write(Encoding.Latin1.GetBytes(text));

    private static bool IsPlain(byte[] word) => word.Length > 0 && word.AsSpan().IndexOfAny(" \t\r\n\"'\0"u8) < 0;

    private static bool IsBlocking(System.Text.Json.JsonElement flag) => flag.GetString() == "blocking";

    private static string ContainerOf(CommandDefinition command) => command.Name.Split('|')[0];
}
