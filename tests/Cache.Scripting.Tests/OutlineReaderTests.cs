using System.Text;
using Cache.Scripting.Running;
using Cache.Server.Scripts;

namespace Cache.Scripting.Tests;

/// <summary>Which scripts are simple: those that end after a few steps, whatever they are given.</summary>
public sealed class OutlineReaderTests
{
    [Theory]
    [InlineData("return 1", "")]
    [InlineData("redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])", "set 1 ?;get 1")]
    [InlineData("if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end",
        "get 1;del 1")]
    [InlineData(
        "local n = redis.call('incr', KEYS[1]) if n == 1 then redis.pcall('expire', KEYS[1], ARGV[1]) end return n",
        "incr 1;expire 1 ?")]
    [InlineData("local a = tonumber(redis.call('hget', KEYS[1], 'n') or '0') return {math.floor(a / 2), #ARGV, #KEYS}",
        "hget 1 'n'")]
    [InlineData("redis.call('mset', KEYS[1], 1, KEYS[2], redis.call('get', KEYS[3]))", "mset 1 ? 2 ?;get 3")]
    [InlineData("local k = KEYS[1] return redis.call('get', k)", "get ?")]
    [InlineData("return redis.call('get', (KEYS[1]))", "get ?")]
    [InlineData("return redis.error_reply('ERR ' .. ARGV[1])", "")]
    [InlineData("error({err = 'x'})", "")]
    [InlineData("-- for a while\nreturn 'function' .. [[ do ]]", "")]
    [InlineData("return redis.call('set', KEYS[1], ARGV[1], 'EX', 10)", "set 1 ? 'EX' ?")]
    public void Read_SimpleScript_HasItsCalls(string script, string calls)
    {
        var outline = OutlineReader.Read(Encoding.Latin1.GetBytes(script));

        Assert.NotNull(outline);
        Assert.Equal(calls, string.Join(';', outline.Calls.Select(Describe)));
    }

    [Theory]
    [InlineData("while true do end")] // Loops, and what calls itself.
    [InlineData("repeat until false")]
    [InlineData("for i = 1, 2 do end")]
    [InlineData("local function f() return f() end f()")]
    [InlineData("local f = function() end")]
    [InlineData("local f = loadstring('while true do end') f()")]
    [InlineData("load('x')")]
    [InlineData("return pcall(redis.call, 'get', KEYS[1])")]
    [InlineData("return ('x'):rep(1000000000)")] // Calls of the library of texts, by whatever name.
    [InlineData("return string.rep('x', 1000000000)")]
    [InlineData("local tonumber = ('x').rep return tonumber('x', 1000000000)")]
    [InlineData("local type, tostring = 1, ARGV[1].rep")]
    [InlineData("tostring = ARGV[1].find")]
    [InlineData("local a = 'x' return a.rep(a, 1000000000)")]
    [InlineData("return ARGV[1][ARGV[2]](ARGV[1])")]
    [InlineData("local f = ARGV[1].rep return f 'x'")]
    [InlineData("local f = ARGV[1].rep return f {}")]
    [InlineData("local f = ARGV[1].rep return (f)('x')")]
    [InlineData("local redis = {call = ARGV[1].rep} redis.call('x')")]
    [InlineData("redis.call = ARGV[1].rep")]
    [InlineData("local r = redis r.call('get', 'x')")]
    [InlineData("local math = ARGV[1] return math.max('x')")]
    [InlineData("return {math = 1}")]
    [InlineData("return _G.redis")]
    [InlineData("_ENV = {}")]
    [InlineData("return unpack(ARGV)")]
    [InlineData("return ...")]
    [InlineData("return cjson.decode(ARGV[1])")]
    [InlineData("return assert(1, 2)")]
    [InlineData("KEYS[1] = 'other' return redis.call('get', KEYS[1])")] // Keys that are not what they were.
    [InlineData("local a a, KEYS[1] = 1, 'other' return redis.call('get', KEYS[1])")]
    [InlineData("local a KEYS[1], a = 'other', 1 return redis.call('get', KEYS[1])")]
    [InlineData("local a a, KEYS[1], a = 1, 'other', 1 return redis.call('get', KEYS[1])")]
    [InlineData("local KEYS = {'other'} return redis.call('get', KEYS[1])")]
    [InlineData("KEYS = {'other'}")]
    [InlineData("local k = KEYS k[1] = 'other'")]
    [InlineData("rawset(KEYS, 1, 'other')")]
    [InlineData("return {KEYS}")]
    [InlineData("return KEYS")]
    [InlineData("return KEYS[#KEYS]")]
    [InlineData("ARGV[1] = 'x'")] // The table is filled again for the next script.
    [InlineData("ARGV.x = 'x'")]
    [InlineData("return ARGV")]
    [InlineData("redis.call('get')(1)")]
    [InlineData("redis.call()")]
    [InlineData("redis.call(ARGV[1], KEYS[1])")] // A command that is not known.
    [InlineData("redis.call('g' .. 'et', KEYS[1])")]
    [InlineData("redis.setresp(3)")]
    [InlineData("redis.log(1, 'x')")]
    [InlineData("redis.sha1hex('x')")]
    public void Read_AnyOtherScript_IsRefused(string script) =>
        Assert.Null(OutlineReader.Read(Encoding.Latin1.GetBytes(script)));

    [Fact]
    public void Read_ManyConcatenations_IsRefused()
    {
        const string Script = "local s = ARGV[1] ";

        Assert.NotNull(OutlineReader.Read(Encoding.Latin1.GetBytes(Script + Repeat("s = s .. s ", 8))));
        Assert.Null(OutlineReader.Read(Encoding.Latin1.GetBytes(Script + Repeat("s = s .. s ", 9))));
    }

    [Fact]
    public void Read_ManyCalls_IsRefused()
    {
        const string Call = "redis.call('get', KEYS[1]) ";

        Assert.NotNull(OutlineReader.Read(Encoding.Latin1.GetBytes(Repeat(Call, 64))));
        Assert.Null(OutlineReader.Read(Encoding.Latin1.GetBytes(Repeat(Call, 65))));
        Assert.Null(OutlineReader.Read(Encoding.Latin1.GetBytes("return 1" + new string(' ', 4096))));
    }

    private static string Repeat(string text, int count) => string.Concat(Enumerable.Repeat(text, count));

    private static string Describe(ScriptedCall call) => string.Join(' ', call.Words.Select((word, index) =>
        word.Text is { } text
            ? index == 0 ? Encoding.Latin1.GetString(text) : $"'{Encoding.Latin1.GetString(text)}'"
            : word.Key > 0 ? $"{word.Key}" : "?"));
}
