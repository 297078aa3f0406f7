using System.Text;
using Cache.Scripting.Running;
using Cache.Server.Commands.Scripts;
using Cache.Server.Commands.Table;
using Cache.Server.Scripts;

namespace Cache.Scripting.Tests;

/// <summary>Which functions of libraries are simple: what a simple script may do, and nothing that changes.</summary>
public sealed class LibraryReaderTests
{
    [Theory]
    [InlineData("redis.register_function('f', function(keys, args) return redis.call('get', keys[1]) end)")]
    [InlineData("redis.register_function('f', function(k) return redis.call('get', k[1]) end)")]
    [InlineData("redis.register_function('f', function() return 1 end)")]
    [InlineData("redis.register_function{function_name='f', flags={'no-writes'},\ncallback=function(keys, args)\n"
        + "if redis.call('exists', keys[1]) == 1 then return args[1] end\nreturn redis.call('get', keys[2]) end}")]
    [InlineData("local function own(keys, args) return redis.call('set', keys[1], args[1]) end\n"
        + "redis.register_function('f', own)")]
    [InlineData("local own\n = function\n(keys)\n\nreturn 1 end redis.register_function('f', own)")]
    [InlineData("local ttl = 60\n"
        + "redis.register_function('f', function(keys) return redis.call('expire', keys[1], ttl) end)")]
    [InlineData("local name = 'a\\0\"\\\\' redis.register_function('f', function() return name end)")]
    [InlineData("local function other() for i = 1, 2 do end end local n = 0 local function change() n = n + 1 end\n"
        + "redis.register_function('f', function(keys) local v = redis.call('get', keys[1]) return v end)")]
    [InlineData("local n = 1 local t = {n = 3, n, n}\n"
        + "redis.register_function('f', function(keys) return {n, keys[1]} end)")]
    [InlineData("local function make(name, seconds)\nredis.register_function(name, function(keys)\n"
        + "return redis.call('expire', keys[1], seconds) end)\nend\nmake('f', 1) make('g', 2)")]
    public void Load_SimpleFunction_HasPlan(string library) => Assert.NotNull(FindSimple(library));

    [Theory]
    [InlineData("redis.register_function('f', function(keys) while true do end end)")]
    [InlineData("redis.register_function('f', function(keys) local g = function() end end)")]
    [InlineData("redis.register_function('f', function(keys, args) keys[1] = 'x' end)")]
    [InlineData("redis.register_function('f', function(keys, args) return args end)")]
    [InlineData("redis.register_function('f', function(keys, args) local k = keys return k[1] end)")]
    [InlineData("redis.register_function('f', function(keys, args) return redis.call('get', args[1]) end)")]
    [InlineData("redis.register_function('f', function(keys, keys) return redis.call('get', keys[1]) end)")]
    [InlineData("redis.register_function('f', function(keys, args, more) return 1 end)")]
    [InlineData("redis.register_function('f', function(...) return 1 end)")]
    [InlineData("redis.register_function('f', function(redis, args) return redis.call('get', args[1]) end)")]
    [InlineData("redis.register_function('f', function(keys, tonumber) return tonumber('1') end)")]
    [InlineData("redis.register_function('f', function(keys) return redis.call('get', KEYS[1]) end)")]
    [InlineData("local n = 0 redis.register_function('f', function(keys) n = n + 1 return n end)")] // What they share.
    [InlineData("local n = 0 redis.register_function('g', function(keys) n = n + 1 end)\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n, m = 0, 1 redis.register_function('g', function(keys) m, n, m = 1, 2, 3 end)\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n, m = 0 local g = (function() m, n = 1, 2 end)\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n, m = 0 local t = {(function() n, m = 1, 2 end)}\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n = 0 local t = {(function() if t then n = 1 end end)}\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n = 0 local function change() function n() end end\n"
        + "redis.register_function('f', function(keys) return n end)")]
    [InlineData("local n redis.register_function('f', function(keys) return n end) n = 1")]
    [InlineData("local t = {} redis.register_function('f', function(keys) return t[1] end)")]
    [InlineData("local redis = redis\n"
        + "redis.register_function('f', function(keys) return redis.call('get', keys[1]) end)")]
    [InlineData("local tonumber = ('x').rep redis.register_function('f', function(keys) return tonumber('x', 9) end)")]
    [InlineData("local math = {max = ('x').rep}\n"
        + "redis.register_function('f', function(keys) return math.max('x', 9) end)")]
    [InlineData("local function f(keys) return f end redis.register_function('f', f)")]
    [InlineData("local huge = 1 / 0 redis.register_function('f', function(keys) return huge end)")]
    [InlineData("redis.register_function('f', function(keys) _P51 = 1 return 1 end)")]
    [InlineData("redis.register_function('g', function() end)"
        + " redis.register_function('f', function() end)")] // On one line.
    [InlineData("local t = {} function t:f(args) return args[1] end redis.register_function('f', t.f)")] // Has self.
    [InlineData("local t = {a = {}} function t.a:f() return 1 end redis.register_function('f', t.a.f)")]
    [InlineData("redis.register_function('f', redis.log)")]
    public void Load_AnyOtherFunction_HasToBeAlone(string library) => Assert.Null(FindSimple(library));

    [Fact]
    public void Load_LongTexts_HaveToBeAlone()
    {
        const string Function = "\nredis.register_function('f', function(keys) return 1 end)";

        Assert.NotNull(FindSimple("--" + new string('x', 60_000) + Function));
        Assert.Null(FindSimple("--" + new string('x', 66_000) + Function));
        Assert.Null(FindSimple(Function.Replace("1", "1" + new string(' ', 4096), StringComparison.Ordinal)));
        Assert.Null(FindSimple("local s = ('x'):rep(2000)" + Function.Replace("1", "s", StringComparison.Ordinal)));
    }

    private static SimpleFunction? FindSimple(string library)
    {
        using var scripts = new ServerScripts(
            static () => new LuaInterpreter(), static outline => ScriptPlan.Create(outline, CommandTable.Default));
        var functions = new ServerFunctions(scripts);
        byte[]? error = functions.TryLoad(
            Encoding.Latin1.GetBytes("#!lua name=l\n" + library), replaces: false, log: null, out _);
        Assert.Null(error is null ? null : Encoding.Latin1.GetString(error));
        Assert.True(functions.Table.TryFind("f"u8, out var function));
        return function.Simple;
    }
}
