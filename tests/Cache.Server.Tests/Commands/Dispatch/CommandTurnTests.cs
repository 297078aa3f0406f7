using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Tests.Clients;
using Cache.Server.Tests.Commands.Keys;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Dispatch;

/// <summary>Every command of the table with the arguments that take longest: it is short, or it gives way.</summary>
public sealed class CommandTurnTests : IDisposable
{
    // A command may take so many times as long as the longest one that a turn lets through by its arguments alone,
    // measured in the same run: the aim is once. Both in time of the processor that the test's own thread took, which
    // other load of the machine does not add to.
    private const int TimesMax = 20;

    // The least of them counts; what others do on the same processors, and code that is new, only makes one longer.
    private const int Runs = 50;
    private const int BaselineRuns = 20;
    private const int KeyCount = 100_000;
    private const int ClientCount = 3000;
    private const int UserCount = 1000;
    private const int LongBytes = 16 << 20;
    private const string Long = "long";

    private static readonly string _stars = string.Concat(Enumerable.Repeat("*a", 30_000)) + "b";

    // A payload of short elements that a loop lets through.
    private static readonly string _members = TestPayload.SignValue(
        "\u0001\u0040\u00f5" + string.Concat(Enumerable.Repeat("\u0001m", 245)));

    // The same of a string that is compressed.
    private static readonly string _text = TestPayload.SignValue(
        "\0\u00c3\u0042\u007b\u0080\0\0\u00d9\u0099\0x"
        + string.Concat(Enumerable.Repeat("\u00e0\u00ff\0", 211)));

    // As many as a request on a loop may have, with the name.
    private static readonly string[] _longs = Enumerable.Repeat(Long, Turn.ArgumentsMax - 2).ToArray();
    private static readonly string[] _keys = Enumerable.Range(0, Turn.ArgumentsMax - 2).Select(Key).ToArray();

    private static readonly string[] _increments =
    [
        .. Enumerable.Range(0, Turn.ArgumentsMax - 2)
            .Select(i => (i % 4) switch { 0 => "INCRBY", 1 => "i64", 2 => "7", _ => "1" }).SkipLast(2),
    ];

    private static readonly string[] _ids = ["ID", .. Enumerable.Repeat("7", Turn.ArgumentsMax - 4)];

    // More than a request on a loop may have; an odd number, as of the words of MSET.
    private static readonly string[] _tooMany = Enumerable.Range(0, Turn.ArgumentsMax).Select(Key).ToArray();

    private static readonly Dictionary<string, string[][]> _worst = new()
    {
        ["scan"] =
        [
            ["0", "COUNT", "1000000000"], ["0", "MATCH", _stars], ["0", "MATCH", "*a*a*a*b"], ["0", "COUNT", "1000"],
            ["0", "MATCH", new string('?', 60_000)],
        ],
        ["keys"] = [["*"], [_stars]],
        ["lcs"] = [["text", "text"], ["text", "text", "LEN"], ["text", "text", "IDX"]],
        ["setrange"] = [["z", "536870000", "x"], [Long, "5", "x"]],
        ["getrange"] = [[Long, "0", "-1"], [Long, "0", "9999999999"], [Long, "-9999999", "-1"]],
        ["substr"] = [[Long, "0", "-1"]],
        ["set"] = [[Long, "x", "GET"], [Long, "x", "XX", "GET", "EX", "100"]],
        ["getex"] = [[Long], [Long, "EX", "100"], [Long, "PERSIST"]],
        ["incrbyfloat"] =
        [
            ["n", "1e4900"], ["n", "1e-4900"], ["n", new string('9', 4900)], ["digits", "1"], ["power", "1"],
            ["n", "0x1p16000"],
        ],
        ["copy"] = [[Long, "other"], [Long, "other", "REPLACE"]],
        ["dump"] = [[Long]],
        ["restore"] = [["z", "0", _members, "REPLACE"], ["z", "0", _text, "REPLACE"]],
        ["setbit"] = [["z", "4294967295", "1"], [Long, "5", "1"], [Long, "4294967295", "1"]],
        ["getbit"] = [[Long, "134217727"]],
        ["bitcount"] = [[Long], [Long, "0", "-1"], [Long, "5", "-9", "BIT"]],
        ["bitpos"] = [[Long, "1"], [Long, "0"], [Long, "1", "5", "-9", "BIT"]],
        ["bitop"] = [["AND", "d", Long, Long], ["NOT", "d", Long], ["XOR", "d", .. _longs.AsSpan(2)]],
        ["bitfield"] =
        [
            ["z", "SET", "u8", "4294967280", "1"], [Long, "SET", "u8", "5", "1"], [Long, "GET", "i64", "77"],
            ["bits", .. _increments],
        ],
        ["bitfield_ro"] = [[Long, "GET", "i64", "77"]],
        ["move"] = [[Long, "1"]],
        ["swapdb"] = [["0", "1"]],
        ["client|list"] = [[], ["TYPE", "normal"], _ids],
        ["client|kill"] = [["ADDR", "1.2.3.4:5"], ["USER", "default", "ADDR", "1.2.3.4:5"], ["1.2.3.4:5"]],
        ["command|list"] = [[], ["FILTERBY", "PATTERN", _stars]],
        ["command|getkeys"] = [["mset", .. _keys.AsSpan(2)], ["del", .. _keys.AsSpan(2)]],
        ["command|getkeysandflags"] = [["mset", .. _keys.AsSpan(2)]],
        ["config|get"] = [["*"], [_stars]],
        ["config|set"] = [["maxmemory", "64mb"]],
        ["acl|setuser"] = [["new", "~" + _stars]],
        ["acl|dryrun"] = [["default", "get", Long]],
        ["acl|genpass"] = [["4096"]],
        ["echo"] = [[new string('x', 100_000)]],
        ["auth"] = [[new string('x', 100_000)], ["user:7", new string('x', 100_000)]],
        ["hello"] = [["3", "AUTH", "user:7", new string('x', 100_000)]],
    };

    // Requests that are more than a turn may have, whatever machine it is: each has to give way.
    private static readonly (string Command, string[] Arguments)[] _tooLong =
    [
        ("keys", ["*"]), ("keys", [_stars]), ("scan", ["0", "MATCH", "*a*a*a*b"]),
        ("scan", ["0", "COUNT", "1000000000"]), ("scan", ["0", "MATCH", new string('?', 60_000)]),
        ("lcs", ["text", "text"]), ("lcs", ["text", "text", "LEN"]), ("lcs", ["text", "text", "IDX"]),
        ("setrange", ["z", "536870000", "x"]), ("setrange", [Long, "5", "x"]), ("append", [Long, "x"]),
        ("getrange", [Long, "0", "-1"]), ("getrange", [Long, "0", "9999999999"]), ("substr", [Long, "0", "-1"]),
        ("getset", [Long, "x"]), ("getdel", [Long]), ("getex", [Long, "EX", "100"]), ("get", [Long]),
        ("set", [Long, "x", "GET"]), ("copy", [Long, "other"]), ("dump", [Long]),
        ("setbit", ["z", "4294967295", "1"]), ("setbit", [Long, "4294967295", "1"]), ("bitcount", [Long]),
        ("bitcount", [Long, "5", "-9", "BIT"]), ("bitpos", [Long, "1"]), ("bitop", ["NOT", "d", Long]),
        ("bitop", ["XOR", "d", .. _longs.AsSpan(2)]), ("bitfield", ["z", "SET", "u8", "4294967280", "1"]),
        ("bitfield", ["z", .. _increments, .. _increments]), ("swapdb", ["0", "1"]),
        ("incrbyfloat", ["n", "1e4900"]), ("incrbyfloat", ["n", "1E-4900"]), ("incrbyfloat", ["n", "0x1p-16000"]),
        ("incrbyfloat", ["digits", "1"]), ("incrbyfloat", ["power", "1"]), ("mget", [Long, Long]), ("mget", _tooMany),
        ("mset", _tooMany), ("msetnx", _tooMany), ("del", _tooMany), ("unlink", _tooMany), ("exists", _tooMany),
        ("touch", _tooMany), ("client|list", []), ("client|list", _ids), ("client|kill", ["ADDR", "1.2.3.4:5"]),
        ("command|docs", []), ("command|info", []), ("command|list", ["FILTERBY", "PATTERN", _stars]),
        ("config|get", ["*"]), ("config|set", ["maxmemory", "64mb"]), ("randomkey", []), ("acl|list", []),
        ("acl|users", []), ("acl|setuser", ["new", "~" + _stars]), ("acl|getuser", ["default"]),
        ("acl|deluser", ["nobody"]), ("cache|memory", []),
    ];

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 1L << 30 });
    private readonly ServerState _server;

    public CommandTurnTests()
    {
        _server = TestServerState.Create(_store);
        for (int i = 0; i < KeyCount; i++)
            _store.Set(Encoding.ASCII.GetBytes(Key(i)), "v"u8);
        for (int i = 0; i < 20; i++)
            _store.Set(Encoding.ASCII.GetBytes(new string('a', 60_000) + i), "v"u8);
        Restore();
        var endPoints = new ClientEndPoints("127.0.0.1:50000", "127.0.0.1:6379");
        for (int i = 0; i < ClientCount; i++)
            _server.Clients.TryAdd(endPoints, static () => { });
        var administrator = new CommandClient(_server);
        for (int i = 0; i < UserCount; i++)
            administrator.Run($"ACL SETUSER user:{i} on ~* +@all -get");
    }

    public void Dispose() => _store.Dispose();

    [Fact]
    public void Execute_EachCommandAtItsWorst_IsAboutAsShortAsATurn()
    {
        int gaveWay = 0;
        var baseline = Measure("exists", _keys, BaselineRuns, TimeSpan.MaxValue, ref gaveWay);
        Assert.Equal(0, gaveWay);
        var slow = new List<string>();
        foreach (var command in _server.Commands.All)
        {
            foreach (string[] arguments in WorstOf(command))
            {
                var time = Measure(command.Name, arguments, Runs, baseline * TimesMax, ref gaveWay);
                if (time > baseline * TimesMax)
                    slow.Add($"{command.Name} with {arguments.Length} arguments: {time / baseline:N1} turns");
            }
        }

        Assert.Empty(slow);
        Assert.InRange(gaveWay, 30, int.MaxValue);
    }

    [Fact]
    public void Execute_TooMuchForATurn_GivesWay()
    {
        var stayed = new List<string>();
        foreach (var (command, arguments) in _tooLong)
        {
            Restore();
            int gaveWay = 0;
            Measure(command, arguments, runs: 1, TimeSpan.Zero, ref gaveWay);
            if (gaveWay == 0)
                stayed.Add($"{command} with {arguments.Length} arguments");
        }

        Assert.Empty(stayed);
    }

    private static string Key(int number) => $"key:{number:D6}";

    private void Restore()
    {
        if (!_store.TryPeekInfo("long"u8, out var info) || info.Length < LongBytes)
            _store.Set("long"u8, new byte[LongBytes]);
        byte[] text = new byte[8000];
        new Random(1).NextBytes(text);
        _store.Set("text"u8, text);
        _store.Set("digits"u8, Encoding.ASCII.GetBytes(new string('9', 4900)));
        _store.Set("power"u8, "1e4900"u8);
    }

    // Any number of keys or other words, as many as there have to be, and what is known to be worse.
    private static IEnumerable<string[]> WorstOf(CommandDefinition command)
    {
        int least = Math.Abs(command.Arity) - command.Name.Split('|').Length;
        yield return _longs[..Math.Max(0, least)];
        if (command.Arity < 0)
        {
            yield return _longs;
            yield return _keys;
        }

        foreach (string[] arguments in _worst.GetValueOrDefault(command.Name, []))
            yield return arguments;
    }

    // The least of some runs, of as many as it takes to come below what is enough.
    private TimeSpan Measure(string command, string[] arguments, int runs, TimeSpan enough, ref int gaveWay)
    {
        var best = TimeSpan.MaxValue;
        for (int i = 0; i < runs && (best > enough || enough == TimeSpan.MaxValue); i++)
        {
            Restore();
            var (start, time) = (TimeSpan.Zero, TimeSpan.Zero);
            var client = new CommandClient(_server)
            {
                Watch = (() => start = ProcessorTimeOfThread(), () => time += ProcessorTimeOfThread() - start),
            };
            client.Context.SharesThread = true;
            client.Call([.. command.Split('|'), .. arguments]);
            best = time < best ? time : best;
            gaveWay += client.Context.GaveWay ? 1 : 0;
            _server.Clients.Remove(client.Client);
        }

        return best;
    }

    private static TimeSpan ProcessorTimeOfThread()
    {
        const int ThreadClock = 3;
        if (!OperatingSystem.IsLinux())
            return Stopwatch.GetElapsedTime(0);
        Assert.Equal(0, ReadClock(ThreadClock, out var time));
        return TimeSpan.FromSeconds(time.Seconds) + TimeSpan.FromTicks(time.Nanoseconds / TimeSpan.NanosecondsPerTick);
    }

    [DllImport("libc", EntryPoint = "clock_gettime")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ReadClock(int clock, out ClockTime time);

    [StructLayout(LayoutKind.Sequential)]
    private struct ClockTime
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
