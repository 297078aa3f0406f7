using Cache.Core;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>
/// Scripts in one of two servers of a cluster: the replies of redis-server 7.0.15 that owns the slots from 0 to 8000.
/// </summary>
public sealed class ClusterScriptTests : IAsyncLifetime
{
    private const string NotLocal = "-ERR Script attempted to access a non local key in a cluster node";
    private const string OtherSlot = "-ERR Script attempted to access keys that do not hash to the same slot";
    private const string NoCluster = "-ERR Can not run script on cluster, 'no-cluster' flag is set.\r\n";
    private const string Nil = "$-1\r\n";
    private const string TwoNils = "*2\r\n$-1\r\n$-1\r\n";

    // Slots: a 15495, b 3300, c 7365, foo 12182.
    private const string GetTwo = "return {redis.call('get', 'b') or false, redis.call('get', 'c') or false}";

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20 });
    private InMemoryServer _server = null!;
    private InMemoryClient _client = null!;

    public async ValueTask InitializeAsync()
    {
        var options = new RespServerOptions
        {
            KeptParameters = new Dictionary<string, string>
            {
                ["cluster-enabled"] = "yes",
                ["cluster-self"] = "10.0.0.1:6379",
                ["cluster-nodes"] = "10.0.0.1:6379=0-8000 10.0.0.2:6379=8192-16383",
            },
        };
        _server = await InMemoryServer.StartAsync(_store, options.UseScripting());
        _client = _server.Connect();
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _store.Dispose();
    }

    [Theory]
    [InlineData(":1\r\n", "EVAL", "return 1", "1", "b")]
    [InlineData(":1\r\n", "EVAL", "return 1", "2", "b", "{b}2")]
    [InlineData(":1\r\n", "EVAL", "return 1", "1", "b", "a")] // An argument is no key.
    [InlineData("-CROSSSLOT Keys in request don't hash to the same slot\r\n", "EVAL", "return 1", "2", "b", "c")]
    [InlineData("-CROSSSLOT Keys in request don't hash to the same slot\r\n", "EVALSHA", "x", "2", "b", "c")]
    [InlineData("-CROSSSLOT Keys in request don't hash to the same slot\r\n", "EVAL_RO", "x", "2", "b", "c")]
    [InlineData("-MOVED 15495 10.0.0.2:6379\r\n", "EVAL", "return 1", "1", "a")]
    [InlineData("-MOVED 15495 10.0.0.2:6379\r\n", "EVALSHA_RO", "x", "1", "a")]
    [InlineData("-CLUSTERDOWN Hash slot not served\r\n", "EVAL", "return 1", "1", "k174")]
    public async Task Eval_DeclaredKeys_AreCheckedAsOfOthers(string reply, params string[] words) =>
        Assert.Equal(reply, await ScriptServer.CallAsync(_client, words));

    [Theory]
    [InlineData(Nil, "return redis.call('get', 'b')")]
    [InlineData(NotLocal, "return redis.call('get', 'a')")]
    [InlineData(NotLocal, "return redis.call('get', 'k174')")]
    [InlineData(NotLocal, "return redis.call('mget', 'b', 'c')")]
    [InlineData(NotLocal, "return redis.pcall('set', 'a', 'x')")]
    [InlineData(NotLocal, "return redis.pcall('spublish', 'a', 'x')")]
    [InlineData(":0\r\n", "return redis.pcall('spublish', 'b', 'x')")]
    [InlineData(":0\r\n", "return redis.pcall('publish', 'a', 'x')")]
    [InlineData("-ERR Wrong number of args calling Redis command from script", "return redis.pcall('set', 'a')")]
    [InlineData(TwoNils, GetTwo)]
    [InlineData(OtherSlot, "#!lua\n" + GetTwo)]
    [InlineData(Nil, "#!lua\nreturn redis.call('get', 'c')")]
    [InlineData(TwoNils, "#!lua flags=allow-cross-slot-keys\n" + GetTwo)]
    [InlineData(NotLocal, "#!lua flags=allow-cross-slot-keys\nreturn redis.call('get', 'a')")]
    [InlineData(NotLocal, "#!lua\nreturn redis.call('get', 'a')")]
    [InlineData(NoCluster, "#!lua flags=no-cluster\nreturn 1")]
    public async Task Eval_KeysInScript_AreOfThisServer(string reply, string script) =>
        Assert.StartsWith(reply, await ScriptServer.CallAsync(_client, "EVAL", script, "0"));

    [Theory]
    [InlineData(TwoNils, GetTwo)]
    [InlineData(OtherSlot, "#!lua\nreturn redis.call('get', 'c')")]
    [InlineData(OtherSlot, "#!lua\n" + GetTwo)]
    [InlineData(Nil, "#!lua\nreturn redis.call('get', '{b}2')")]
    [InlineData(TwoNils, "#!lua flags=allow-cross-slot-keys\n" + GetTwo)]
    public async Task Eval_DeclaredKey_IsOfTheSlotOfTheScript(string reply, string script) =>
        Assert.StartsWith(reply, await ScriptServer.CallAsync(_client, "EVAL", script, "1", "b"));

    [Fact]
    public async Task EvalRo_NotInCluster_ComesBeforeWrites() =>
        Assert.StartsWith(
            "-ERR Can not run script on cluster",
            await ScriptServer.CallAsync(_client, "EVAL_RO", "#!lua flags=no-cluster\nreturn 1", "0"));

    [Theory]
    [InlineData(Nil, "return redis.call('get', 'b')", "")]
    [InlineData(NotLocal, "return redis.call('get', 'a')", "")]
    [InlineData(OtherSlot, GetTwo, "")]
    [InlineData(TwoNils, GetTwo, "'allow-cross-slot-keys'")]
    [InlineData(NoCluster, "return 1", "'no-cluster'")]
    public async Task Function_KeysInIt_AreOfThisServerAndOneSlot(string reply, string body, string flags)
    {
        await ScriptServer.CallAsync(
            _client, "FUNCTION", "LOAD",
            $"#!lua name=l\nredis.register_function{{function_name='f', callback=function() {body} end, "
            + $"flags={{{flags}}}}}");

        Assert.StartsWith(reply, await ScriptServer.CallAsync(_client, "FCALL", "f", "0"));
        Assert.StartsWith(reply, await ScriptServer.CallAsync(_client, "FCALL", "f", "1", "b"));
    }

    [Theory]
    [InlineData("-CROSSSLOT Keys in request don't hash to the same slot\r\n", "2", "b", "c")]
    [InlineData("-MOVED 15495 10.0.0.2:6379\r\n", "1", "a")]
    public async Task Function_DeclaredKeys_AreCheckedAsOfOthers(string reply, params string[] keys) =>
        Assert.Equal(reply, await ScriptServer.CallAsync(_client, ["FCALL", "f", .. keys]));

    [Fact]
    public async Task Eval_ClusterIsDown_CommandsWithKeysFail()
    {
        await ScriptServer.CallAsync(_client, "CONFIG", "SET", "cluster-require-full-coverage", "yes");

        Assert.StartsWith(
            "-ERR Script attempted to execute a command while the cluster is down",
            await ScriptServer.CallAsync(_client, "EVAL", "return redis.pcall('get', 'b')", "0"));
        Assert.Equal("+PONG\r\n", await ScriptServer.CallAsync(_client, "EVAL", "return redis.call('ping')", "0"));
    }

    [Fact]
    public async Task Eval_ClusterIsDownAndReadable_WritesFail()
    {
        await ScriptServer.CallAsync(_client, "CONFIG", "SET", "cluster-require-full-coverage", "yes");
        await ScriptServer.CallAsync(_client, "CONFIG", "SET", "cluster-allow-reads-when-down", "yes");

        Assert.StartsWith(Nil, await ScriptServer.CallAsync(_client, "EVAL", "return redis.call('get', 'b')", "0"));
        Assert.StartsWith(
            "-ERR Script attempted to execute a write command while the cluster is down and readonly",
            await ScriptServer.CallAsync(_client, "EVAL", "return redis.pcall('set', 'b', 'v')", "0"));
    }
}
