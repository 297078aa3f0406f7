using System.Text;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Random scripts, right and wrong ones: each gets a reply, and the server goes on.</summary>
public sealed class RandomScriptTests
{
    private const int Scripts = 1500;

    private static readonly string[] _words =
    [
        "x", "y", "=", "=", "(", ")", "{", "}", "[", "]", ",", ".", "..", "...", ":", ";", "1", "0", "-1", "2.5",
        "'a'", "\"b\"", "[[c]]", "nil", "true", "false", "function", "end", "if", "then", "else", "return", "do",
        "for", "in", "pairs", "ipairs", "not", "and", "or", "#", "+", "-", "*", "/", "%", "^", "==", "<", "<=", "~=",
        "string", "table", "math", "redis", "call", "pcall", "error", "cjson", "encode", "decode", "struct", "pack",
        "unpack", "cmsgpack", "bit", "band", "format", "rep", "gsub", "find", "sort", "concat", "insert", "select",
        "setmetatable", "getmetatable", "rawset", "rawget", "wrap", "yield", "loadstring", "tostring", "KEYS",
        "ARGV", "_G", "\0", "\xff", "--", "\n", "goto", "_ENV", "'%s'", "'(a*)*'", "2^53", "repeat", "until", "break",
    ];

    // Parts that are right by themselves: # stands for another one.
    private static readonly string[] _forms =
    [
        "x", "y", "1", "-1", "0", "2^53", "1e308", "'a'", "'12'", "nil", "true", "{}", "{#,#}", "{a=#}", "(#)", "#..#",
        "#+#", "# % #", "-#", "not #", "##", "#==#", "#<#", "#[#]", "tostring(#)", "tonumber(#)", "type(#)", "next(#)",
        "pcall(redis.call,#,#)", "redis.pcall('set',#,#)", "redis.pcall('get',#)", "redis.pcall(#)", "pcall(error,#)",
        "string.format('%s %d',#,#)", "string.rep(#,3)", "string.sub(#,#,#)", "string.find(#,#)", "string.gsub(#,#,#)",
        "string.byte(#,#,#)", "table.concat(#,#)", "table.insert(#,#)", "table.remove(#)", "unpack(#)", "select(#,#)",
        "setmetatable(#,#)", "getmetatable(#)", "rawget(#,#)", "rawset(#,#,#)", "cjson.encode(#)", "cjson.decode(#)",
        "cmsgpack.pack(#)", "cmsgpack.unpack(#)", "struct.pack('>I2s',#,#)", "struct.unpack('i4',#)", "bit.band(#,#)",
        "math.max(#,#)", "math.random(#)", "loadstring(#)", "coroutine.wrap(function() return # end)()",
        "(function(x) return # end)(#)", "pcall(function() return # end)", "redis.sha1hex(#)", "redis.error_reply(#)",
        "redis.status_reply(#)", "{err=#}", "{ok=#}", "{map=#}", "{set=#}", "{double=#}", "_G", "string", "redis",
    ];

    [Fact]
    public Task Eval_RandomScripts_ServerGoesOn() => RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        for (int i = 0; i < Scripts; i++)
        {
            string script = i % 2 == 0 ? Words(random) : $"local x, y = {{}}, 'y' return {Form(random, depth: 0)}";
            string reply = await server.CallKillingAsync(client, "EVAL", script, "1", "key", "1");
            Assert.Contains(reply[0], "+-:$*");
        }

        Assert.Equal("+PONG\r\n", await ScriptServer.CallAsync(client, "PING"));
    });

    private static string Words(Random random)
    {
        var script = new StringBuilder();
        for (int i = random.Next(1, 25); i > 0; i--)
            script.Append(_words[random.Next(_words.Length)]).Append(random.Next(8) == 0 ? "" : " ");
        return script.ToString().Replace("repeat", "do", StringComparison.Ordinal);
    }

    private static string Form(Random random, int depth)
    {
        string form = _forms[depth < 5 ? random.Next(_forms.Length) : random.Next(10)];
        var script = new StringBuilder();
        foreach (char c in form)
        {
            if (c == '#')
                script.Append(Form(random, depth + 1));
            else
                script.Append(c);
        }

        return script.ToString();
    }
}
