using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Scripting.Running;
using Cache.Server.Scripts;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>What recorded sessions of functions do not show: bounds, several clients, memory.</summary>
public sealed class FunctionCommandTests
{
    private const string Header = "#!lua name=l\n";

    // Of redis-server 7.0.15, which has compressed the text.
    private const string Packed =
        "f5c3405540d21623216c7561206e616d653d7061636b65640a2d2d206162e06d01190a72656469732e72656769737465725f"
        + "66756e6374696f6e2827809b02272c20e000120b292072657475726e2027756ea01d0520656e64290a0a00dd6f79461a81528b";

    [Fact]
    public async Task Commands_WithoutInterpreter_NameThePackage()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 });
        await using var server = await InMemoryServer.StartAsync(store);
        var client = server.Connect();

        foreach (string command in (string[])["FCALL f 0", "FCALL_RO f 0", "FUNCTION LIST", "FUNCTION LOAD x"])
            Assert.Contains("Cache.Scripting", await ScriptServer.CallAsync(client, command.Split(' ')));
    }

    /// <summary>The next process would find the change: so it is made here too, and the client is told of it.</summary>
    [Fact]
    public void Change_ThatTheMachineMayLose_IsMadeAndTold()
    {
        using var scripts = new ServerScripts(static () => new LuaInterpreter(), static _ => null);
        var functions = new ServerFunctions(scripts) { Saving = static _ => false };
        byte[] code = Encoding.ASCII.GetBytes($"{Header}redis.register_function('f', function() end)");

        foreach (bool isThere in (bool[])[true, false])
        {
            byte[]? error = isThere
                ? functions.TryLoad(code, replaces: false, log: null, out _)
                : functions.TryDelete("l");
            Assert.StartsWith("ERR the functions are changed, but", Encoding.ASCII.GetString(error!));
            Assert.Equal(isThere, functions.Table.Has("l"));
        }
    }

    [Fact]
    public async Task Restore_PayloadThatRedisCompressed_LoadsIt()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string payload = string.Concat(Convert.FromHexString(Packed).Select(static one => (char)one));

        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(client, "FUNCTION", "RESTORE", payload));
        Assert.Equal("$8\r\nunpacked\r\n", await ScriptServer.CallAsync(client, "FCALL", "packed", "0"));
    }

    [Fact]
    public async Task Dump_RestoredElsewhere_HasTheSameLibraries()
    {
        await using var server = await ScriptServer.StartAsync();
        await using var other = await ScriptServer.StartAsync();
        var client = server.Connect();
        var there = other.Connect();
        await LoadAsync(client, "return 1");
        await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD", "#!lua name=m\nredis.register_function('g', function() return '\0\xff' end)");

        string dump = await ScriptServer.CallAsync(client, "FUNCTION", "DUMP");
        string payload = dump[(dump.IndexOf('\n', StringComparison.Ordinal) + 1)..^2];
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(there, "FUNCTION", "RESTORE", payload));

        Assert.Equal(
            await ScriptServer.CallAsync(client, "FUNCTION", "LIST", "WITHCODE"),
            await ScriptServer.CallAsync(there, "FUNCTION", "LIST", "WITHCODE"));
        Assert.Equal("$2\r\n\0\xff\r\n", await ScriptServer.CallAsync(there, "FCALL", "g", "0"));
    }

    [Fact]
    public async Task Load_SameNameInOtherLetters_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();

        // redis-server 7.0.15 takes it, and crashes when the library is replaced.
        Assert.Equal(
            "-ERR Error registering functions: ERR Function already exists in the library\r\n",
            await ScriptServer.CallAsync(
                server.Connect(), "FUNCTION", "LOAD",
                Header + "redis.register_function('f', print) redis.register_function('F', print)".Replace(
                    "print", "function() end", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Load_TooMuchCode_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await LoadAsync(client, "return 1");
        string code = "#!lua name=big\nredis.register_function('big', function() end) -- "
            + new string('x', (int)ServerFunctions.CodeBytesMax);

        Assert.StartsWith(
            "-ERR there are too many functions", await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", code));
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "0"));
        Assert.Equal("-ERR Function not found\r\n", await ScriptServer.CallAsync(client, "FCALL", "big", "0"));
    }

    [Fact]
    public async Task Load_TooManyFunctions_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();
        string code = string.Create(
            CultureInfo.InvariantCulture,
            $"{Header}for i = 0, {ServerFunctions.FunctionsMax} do "
            + $"redis.register_function('f' .. i, function() end) end");
        var client = server.Connect();
        await LoadAsync(client, "return 1");

        Assert.StartsWith(
            "-ERR there are too many functions",
            await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", "REPLACE", code));
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "0"));
    }

    [Fact]
    public async Task Call_FunctionsThatKeepTooMuch_FailUntilTheyAreRemoved()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD",
            Header + "local all = {} redis.register_function('grow', function() "
            + "for i = 1, 32 do all[#all + 1] = string.rep('x', 1048576 + #all) end return #all end)");
        string reply = "";
        for (int i = 0; i < 8 && !reply.StartsWith('-'); i++)
            reply = await ScriptServer.CallAsync(client, "FCALL", "grow", "0");

        Assert.Contains("not enough memory", reply);
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(client, "FUNCTION", "FLUSH"));
        Assert.Equal(
            ":33554432\r\n", await ScriptServer.CallAsync(client, "EVAL", "return #string.rep('x', 33554432)", "0"));
    }

    // The escapes of HostileScriptTests, where the globals are those of functions.
    [Theory]
    [InlineData("string.format = function() return 'x' end")]
    [InlineData("getmetatable('').__index = function() return 'x' end")]
    [InlineData("rawset(_G, 'redis', 1)")]
    [InlineData("for name in pairs(_G) do rawset(_G, name, nil) end")]
    [InlineData("setmetatable(_G, {})")]
    [InlineData("getmetatable(_G).__index = 1")]
    [InlineData("getmetatable(redis).__index = 1")]
    [InlineData("load_redis.log = 1")]
    [InlineData("rawset(load_redis, 'register_function', 1)")]
    [InlineData("load_redis.register_function('late', function() end)")]
    [InlineData("return loadstring('redis = 1')()")]
    public async Task Call_FunctionThatWantsOut_IsRefused(string body)
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        Assert.Equal("$1\r\nl\r\n", await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD",
            $"{Header}local load_redis = redis redis.register_function('f', function(keys, args) {body} end)"));

        Assert.StartsWith("-ERR ", await ScriptServer.CallAsync(client, "FCALL", "f", "0"));

        await ScriptServer.CallAsync(client, "FUNCTION", "FLUSH");
        await LoadAsync(client, "return redis.call('echo', string.format('%d', ('x'):len()))");
        Assert.Equal("$1\r\n1\r\n", await ScriptServer.CallAsync(client, "FCALL", "f", "0"));
    }

    [Fact]
    public async Task Info_Functions_AreCounted()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await LoadAsync(client, "return 1");

        string info = await ScriptServer.CallAsync(client, "INFO", "memory");
        Assert.Contains("number_of_functions:1\r\n", info);
        Assert.Contains("number_of_libraries:1\r\n", info);
        Assert.DoesNotContain("used_memory_functions:0\r\n", info);
    }

    // A call sees the functions, and what they share, of one version: both lines of a library have the same number.
    [Fact]
    public async Task Call_WhileItsLibraryIsReplaced_SeesOneVersion()
    {
        const int Callers = 3;
        const int Versions = 200;
        await using var server = await ScriptServer.StartAsync();
        var loader = server.Connect();
        // However busy the machine is.
        await ScriptServer.CallAsync(loader, "CONFIG", "SET", "busy-reply-threshold", "0");
        await LoadVersionAsync(loader, 0);
        int isOver = 0;
        var callers = new List<Task<int>>();
        for (int i = 0; i < Callers; i++)
        {
            var client = server.Connect();
            callers.Add(Task.Run(async () =>
            {
                int last = 0;
                while (Volatile.Read(ref isOver) == 0)
                {
                    string reply = await ScriptServer.CallAsync(client, "FCALL", "f", "0");
                    string[] words = reply.Split("\r\n")[1].Split(' ');
                    Assert.Equal(words[0], words[1]);
                    int version = int.Parse(words[0], CultureInfo.InvariantCulture);
                    Assert.True(version >= last);
                    last = version;
                }

                return last;
            }));
        }

        for (int version = 1; version <= Versions; version++)
            await LoadVersionAsync(loader, version);
        Volatile.Write(ref isOver, 1);
        await Task.WhenAll(callers);
        Assert.StartsWith("$7\r\n200 200", await ScriptServer.CallAsync(loader, "FCALL", "f", "0"));
    }

    private static async Task LoadVersionAsync(InMemoryClient client, int version) =>
        Assert.Equal("$1\r\nl\r\n", await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD", "REPLACE",
            string.Create(
                CultureInfo.InvariantCulture,
                $"{Header}local shared = '{version}' redis.register_function('f', function() "
                + $"redis.call('get', 'a') return shared .. ' {version}' end)")));

    private static async Task LoadAsync(InMemoryClient client, string body) =>
        Assert.Equal("$1\r\nl\r\n", await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD", $"{Header}redis.register_function('f', function(keys, args) {body} end)"));
}
