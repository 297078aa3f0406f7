using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Simple functions run with their keys locked, and reply what they reply alone.</summary>
public sealed class SimpleFunctionTests
{
    private const string Header = "#!lua name=l\nlocal limit = 3\nlocal name = 'na\\0me'\n";

    // Of a function that has to be alone; it moves no line.
    private const string Loop = "for _ = 1, 1 do end ";

    // One after the other, with the keys a to e: a a text, b a number, c a list, d a hash; e is not there.
    private static readonly string[] _bodies =
    [
        "return redis.call('get', keys[1])",
        "redis.call('set', keys[5], args[1])\nreturn redis.call('get', keys[5])",
        "return {redis.call('incr', keys[2]), redis.call('incrby', keys[2], args[2])}",
        "\n\nreturn redis.call('incr', keys[1])",
        "return redis.pcall('incr', keys[1])",
        "redis.call('rpush', keys[3], args[1], 2, 3) return redis.call('lrange', keys[3], 0, -1)",
        "redis.call('rename', keys[3], keys[5]) return {redis.call('exists', keys[3]), redis.call('llen', keys[5])}",
        "redis.call('hset', keys[4], 'f', 1, 'g', args[1]) return redis.call('hgetall', keys[4])",
        "return redis.call('mget', keys[1], keys[2], keys[3], keys[5])",
        "return redis.call('sinterstore', keys[5], keys[4], keys[1])",
        "return redis.call('set', keys[1], nil)",
        "local v = redis.call('get', keys[1]) if v then return v .. args[1] end return redis.status_reply('none')",
        "local v = 1\nerror('here')",
        "redis.call('set', keys[1], 'x')\nerror({err = 'AFTER it'})",
        "return {keys[1], args[1], args[3], #keys, #args}",
        "return {limit, name, redis.call('expire', keys[1], limit)}",
        "\nreturn limit.field.other",
        "\nreturn name + 1",
        "local v = args[1]\n\nreturn v.field.other",
        "return args[3] .. 'x'",
        "return unknown",
        "\nunknown = 1",
        "return KEYS",
        "return tostring(1/2) .. limit .. math.floor(args[2] / 4)",
        "return redis.call('del', keys[1], keys[2], keys[3])",
        "return redis.call('flushall')",
        "return redis.call('nothing', keys[1])",
        "return redis.call('get')",
        "return redis.call('publish', 'channel', args[1])",
    ];

    [Theory]
    [InlineData("FCALL", "")]
    [InlineData("FCALL_RO", "")]
    [InlineData("FCALL", "no-writes")]
    [InlineData("FCALL_RO", "no-writes")]
    [InlineData("FCALL", "no-cluster")]
    public async Task Call_SimpleFunctions_RepliesAsWhenAlone(string command, string flag)
    {
        await using var one = await ScriptServer.StartAsync();
        await using var other = await ScriptServer.StartAsync();
        var locked = one.Connect();
        var alone = other.Connect();
        foreach (var client in (InMemoryClient[])[locked, alone])
            await ScriptServer.CallAsync(client, "MSET", "a", "text", "b", "7");
        var simple = new StringBuilder(Header);
        var lone = new StringBuilder(Header);
        for (int i = 0; i < _bodies.Length; i++)
        {
            simple.AppendLine(CultureInfo.InvariantCulture, $"{Register(i, "", flag)}");
            lone.AppendLine(CultureInfo.InvariantCulture, $"{Register(i, Loop, flag)}");
        }

        await LoadAsync(locked, simple.ToString());
        await LoadAsync(alone, lone.ToString());
        for (int i = 0; i < _bodies.Length; i++)
        {
            string[] call = [command, $"f{i}", "5", "a", "b", "c", "d", "e", "first", "2"];
            Assert.Equal(await ScriptServer.CallAsync(alone, call), await ScriptServer.CallAsync(locked, call));
            Assert.Equal(
                await ScriptServer.CallAsync(alone, "MGET", "a", "b", "e"),
                await ScriptServer.CallAsync(locked, "MGET", "a", "b", "e"));
        }

        Assert.Equal(_bodies.Length - 3, CountSimple(one));
        Assert.Equal(0, CountSimple(other));
    }

    [Fact]
    public async Task Call_SimpleFunction_IsAtomicForCallersInProcess()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await LoadAsync(
            client,
            Header + "redis.register_function('f', function(k) redis.call('incr', k[1]) "
            + "return redis.call('incr', k[2]) end)");
        using var end = new CancellationTokenSource();
        var torn = Task.Run(() =>
        {
            int count = 0;
            while (!end.IsCancellationRequested)
            {
                var pair = default(Pair);
                server.Store.Transact(ref pair);
                count += pair.AreEqual ? 0 : 1;
            }

            return count;
        });

        for (int i = 0; i < 5000; i++)
            await ScriptServer.CallAsync(client, "FCALL", "f", "2", "a", "b");
        await end.CancelAsync();

        Assert.Equal(0, await torn);
        Assert.Equal("$4\r\n5000\r\n", await ScriptServer.CallAsync(client, "GET", "b"));
    }

    // A call sees the function, and the constants that it shares, of one version: never an older one than before, nor
    // than the one whose load was answered before the call.
    [Fact]
    public async Task Call_WhileItsLibraryIsReplaced_SeesOneVersion()
    {
        const int Callers = 3, Versions = 200;
        await using var server = await ScriptServer.StartAsync();
        var loader = server.Connect();
        // However busy the machine is.
        await ScriptServer.CallAsync(loader, "CONFIG", "SET", "busy-reply-threshold", "0");
        await LoadVersionAsync(loader, 0);
        int answered = 0;
        var callers = Enumerable.Range(0, Callers).Select(_ => Task.Run(async () =>
        {
            var client = server.Connect();
            int last = 0;
            while (last < Versions)
            {
                int least = Volatile.Read(ref answered);
                string reply = await ScriptServer.CallAsync(client, "FCALL", "f", "1", "a");
                string[] words = reply.Split("\r\n")[1].Split(' ');
                Assert.Equal(words[0], words[1]);
                int version = int.Parse(words[0], CultureInfo.InvariantCulture);
                Assert.InRange(version, Math.Max(last, least), Versions);
                last = version;
            }
        })).ToArray();

        for (int version = 1; version <= Versions; version++)
        {
            await LoadVersionAsync(loader, version);
            Volatile.Write(ref answered, version);
        }

        await Task.WhenAll(callers).WaitAsync(
            TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Call_LibraryThatIsGone_IsUnknown()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        foreach (string[] end in (string[][])[["FUNCTION", "DELETE", "l"], ["FUNCTION", "FLUSH"]])
        {
            await LoadVersionAsync(client, 1);
            Assert.Equal("$3\r\n1 1\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "1", "a"));
            Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(client, end));
            Assert.Equal("-ERR Function not found\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "1", "a"));
        }

        await LoadVersionAsync(client, 2);
        string dump = await ScriptServer.CallAsync(client, "FUNCTION", "DUMP");
        await LoadVersionAsync(client, 3);
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(
            client, "FUNCTION", "RESTORE", dump[(dump.IndexOf('\n', StringComparison.Ordinal) + 1)..^2], "REPLACE"));
        Assert.Equal("$3\r\n2 2\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "1", "a"));
    }

    [Fact]
    public async Task Call_SameLineOfSeveralCalls_HasConstantsOfEach()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await LoadAsync(
            client,
            Header + "local function make(name, v, b, n)\nredis.register_function(name, function(keys)\n"
            + "return {v, b, n, keys[1]} end)\nend\n"
            + "make('f', 'one', true, -2.5e20) make('g', '\\\"]]\\n\\255', false, 1e-9)");

        Assert.Equal(2, CountSimple(server));
        Assert.Equal(
            "*4\r\n$3\r\none\r\n:1\r\n:-9223372036854775808\r\n$1\r\nk\r\n",
            await ScriptServer.CallAsync(client, "FCALL", "f", "1", "k"));
        Assert.Equal(
            "*4\r\n$5\r\n\"]]\n\xff\r\n$-1\r\n:0\r\n$1\r\nk\r\n",
            await ScriptServer.CallAsync(client, "FCALL", "g", "1", "k"));
    }

    // More than an interpreter keeps: they are compiled again.
    [Fact]
    public async Task Call_ManyFunctions_EachIsItself()
    {
        const int Count = 600;
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        var library = new StringBuilder(Header);
        for (int i = 0; i < Count; i++)
        {
            library.AppendLine(
                CultureInfo.InvariantCulture, $"redis.register_function('f{i}', function() return {i} end)");
        }

        await LoadAsync(client, library.ToString());

        Assert.Equal(Count, CountSimple(server));
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < Count; i++)
                Assert.Equal($":{i}\r\n", await ScriptServer.CallAsync(client, "FCALL", $"F{i}", "0"));
        }
    }

    // Texts that stand in it count as what it is given. On a loop a table of so many bytes would be refused.
    [Fact]
    public async Task Call_TextThatDoubles_RepliesAsAlone()
    {
        const int Length = 3000, Doublings = 11;
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string body = $"redis.call('set', KEYS[1], '{new string('v', Length)}') "
            + string.Concat(Enumerable.Repeat("redis.call('append', KEYS[1], redis.call('get', KEYS[1])) ", Doublings))
            + "return {redis.call('get', KEYS[1])}";
        await LoadAsync(client, $"#!lua name=l\nredis.register_function('f', function(KEYS) {body} end)");
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", body))[5..45];

        Assert.Equal(1, CountSimple(server));
        foreach (string[] call in (string[][])[["FCALL", "f"], ["EVALSHA", digest]])
        {
            string reply = await ScriptServer.CallAsync(client, [.. call, "1", "a"]);
            Assert.StartsWith($"*1\r\n${Length << Doublings}\r\nvvv", reply);
        }
    }

    // Five times 4 MB are read: too much for a loop, where a table of 8 MB would be refused.
    [Fact]
    public async Task Call_LongTextIsReadManyTimes_RepliesAsAlone()
    {
        const int Length = 16_000;
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string body = "local a = ARGV[1] " + string.Concat(Enumerable.Repeat("a = a .. a ", 8));
        string[] reads = ["tonumber(a) ", "local b = a == 'x' ", "redis.call('echo', a) "];
        foreach (string read in reads)
        {
            string text = body + string.Concat(Enumerable.Repeat(read, 5)) + "return {a, a}";
            await LoadAsync(client, $"#!lua name=l\nredis.register_function('f', function(KEYS, ARGV) {text} end)");

            Assert.Equal(1, CountSimple(server));
            string reply = await ScriptServer.CallAsync(client, "FCALL", "f", "0", new string('x', Length));
            Assert.StartsWith($"*2\r\n${Length << 8}\r\nxxx", reply);
            await ScriptServer.CallAsync(client, "FUNCTION", "FLUSH");
        }
    }

    [Fact]
    public async Task Call_UserWithoutTheKey_IsRefusedAsAlone()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await LoadAsync(
            client,
            Header + "redis.register_function('f', function(k)\nreturn redis.call('get', k[1]) end)\n"
            + "redis.register_function('g', function(k) for _ = 1, 1 do end\nreturn redis.call('get', k[1]) end)");
        await ScriptServer.CallAsync(client, "ACL", "SETUSER", "u", "on", "nopass", "+@all", "-get", "~a*");
        await ScriptServer.CallAsync(client, "AUTH", "u", "x");

        Assert.Equal(1, CountSimple(server));
        foreach (string key in (string[])["a", "b"])
        {
            string simple = await ScriptServer.CallAsync(client, "FCALL", "f", "1", key);
            string alone = await ScriptServer.CallAsync(client, "FCALL", "g", "1", key);
            Assert.StartsWith(key == "a" ? "-ERR The user executing" : "-NOPERM ", simple);
            Assert.Equal(
                alone.Replace("script: g", "script: f", StringComparison.Ordinal)
                    .Replace("user_function:7", "user_function:5", StringComparison.Ordinal),
                simple);
        }
    }

    private static int CountSimple(ScriptServer server) =>
        server.State.Functions!.Table.Libraries.Sum(
            static library => library.Simple.Count(static simple => simple is not null));

    private static string Register(int index, string before, string flag)
    {
        string body = $"function(keys, args) {before}{_bodies[index]} end";
        return flag.Length == 0
            ? $"redis.register_function('f{index}', {body})"
            : $"redis.register_function{{function_name='f{index}', flags={{'{flag}'}}, callback={body}}}";
    }

    private static async Task LoadVersionAsync(InMemoryClient client, int version) =>
        await LoadAsync(client, string.Create(
            CultureInfo.InvariantCulture,
            $"#!lua name=l\nlocal shared = '{version}' redis.register_function('f', function(k) "
            + $"redis.call('get', k[1]) return shared .. ' {version}' end)"));

    private static async Task LoadAsync(InMemoryClient client, string library) =>
        Assert.Equal("$1\r\nl\r\n", await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", "REPLACE", library));
}
