namespace Cache.Scripting.Tests;

/// <summary>
/// Scripts that want out, or all of the memory, or the stack: those of the CVEs of 2022 to 2025 among them. Each gets a
/// reply, and the server serves the next client.
/// </summary>
public sealed class HostileScriptTests
{
    [Fact]
    public async Task Eval_HostileScripts_ServerGoesOn()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        foreach (string script in Resource.Lines("hostile"))
        {
            string reply = await server.CallKillingAsync(client, "EVAL", script, "0");

            Assert.Contains(reply[0], "+-:$*");
            Assert.Equal("+PONG\r\n", await ScriptServer.CallAsync(client, "PING"));
        }
    }

    [Theory]
    [InlineData("rpush")]
    [InlineData("del")]
    public async Task Eval_OneLongTextManyTimes_IsRefused(string command)
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.StartsWith(
            "-ERR not enough memory",
            await server.EvalAsync(
                "local s, t = string.rep('x', 3e7), {} for i = 1, 100 do t[i] = s end "
                + $"return redis.call('{command}', 'k', unpack(t))"));
        Assert.Equal("+PONG\r\n", await server.EvalAsync("return redis.call('ping')"));
    }

    [Fact]
    public async Task Eval_TextThatIsVeryLong_IsNotCompiled()
    {
        await using var server = await ScriptServer.StartAsync();
        const int Length = 9_000_000;

        Assert.Equal(
            "$17\r\nnot enough memory\r\n",
            await server.EvalAsync($"return select(2, loadstring(string.rep(' ', {Length})))"));
        Assert.Equal(
            "-ERR Error compiling script (new function): not enough memory\r\n",
            await server.EvalAsync("return 1" + new string(' ', Length)));
    }

    [Theory]
    // CVE-2022-24735, CVE-2025-46817: functions and metatables that others use are changed.
    [InlineData("string.format = function() return 'x' end")]
    [InlineData("getmetatable('').__index = function() return 'x' end")]
    [InlineData("rawset(string, 'format', 1)")]
    [InlineData("for name in pairs(_G) do rawset(_G, name, nil) end")]
    [InlineData("redis.call = nil")]
    // CVE-2025-46818: metatables of basic types.
    [InlineData("setmetatable(1, {})")]
    [InlineData("getmetatable(nil).__index = {}")]
    // CVE-2022-24834: long tables in cjson and cmsgpack. CVE-2024-31449: bit.tohex.
    [InlineData("return cjson.encode(setmetatable({}, {__index = function() return 1 end}), 1, 2)")]
    [InlineData("return bit.tohex()")]
    // CVE-2024-46981, CVE-2025-49844: finalizers, and the parser while garbage is collected.
    [InlineData("return load(setmetatable({}, {__gc = function() end}))")]
    [InlineData("return struct.unpack('i4', 'x', -2147483648)")]
    // CVE-2025-46819: a long bracket out of bounds.
    [InlineData("return loadstring('[' .. string.rep('=', 100000))()")]
    // CVE-2025-46817: unpack with bounds whose difference overflows.
    [InlineData("return unpack({0}, -2147483648, 2147483647)")]
    public async Task Eval_PublishedEscape_IsRefused(string script)
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.StartsWith("-ERR ", await server.EvalAsync(script));

        Assert.Equal("$1\r\n1\r\n", await server.EvalAsync("return string.format('%d', ('x'):len())"));
        Assert.Equal("+PONG\r\n", await server.EvalAsync("return redis.call('ping')"));
    }

    [Fact]
    public async Task Eval_ScriptEnded_LeavesNothingToNextOne()
    {
        await using var server = await ScriptServer.StartAsync();

        await server.EvalAsync("cjson.encode_number_precision(3) KEYS[1] = 'x' ARGV[9] = 'y' redis.setresp(3)", "a");

        Assert.Equal(
            "*3\r\n$15\r\n3.1415926535898\r\n$-1\r\n$-1\r\n",
            await server.EvalAsync("return {cjson.encode(math.pi), KEYS[1] or false, ARGV[9] or false}"));
    }
}
