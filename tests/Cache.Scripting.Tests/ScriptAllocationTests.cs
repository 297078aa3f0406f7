using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>What a script costs the garbage collector.</summary>
public sealed class ScriptAllocationTests : IDisposable
{
    private const int Pipelined = 16;
    private const int Rounds = 200;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Call_SimpleScriptOverAndOver_AllocatesNothing(bool isFunction)
    {
        var options = new RespServerOptions
        {
            KeptParameters = new Dictionary<string, string> { ["slowlog-log-slower-than"] = "-1" },
        };
        await using var server = await InMemoryServer.StartAsync(_store, options.UseScripting());
        var client = server.Connect();
        const string Script = "redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];
        await ScriptServer.CallAsync(
            client, "FUNCTION", "LOAD",
            $"#!lua name=l\nredis.register_function('f', function(KEYS, ARGV) {Script} end)");
        string called = isFunction ? "$5\r\nFCALL\r\n$1\r\nf" : $"$7\r\nEVALSHA\r\n$40\r\n{digest}";
        string request = $"*5\r\n{called}\r\n$1\r\n1\r\n$3\r\nkey\r\n$5\r\nvalue\r\n";
        byte[] batch = Encoding.ASCII.GetBytes(new StringBuilder().Insert(0, request, Pipelined).ToString());
        Assert.Equal("$5\r\nvalue\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "1", "key", "value"));
        Run(client, batch);

        long bytes = AllocatedBytes.LeastOf(() => Run(client, batch));

        Assert.Equal(0, bytes);
    }

    private static void Run(InMemoryClient client, byte[] batch)
    {
        for (int i = 0; i < Rounds; i++)
        {
            client.Send(batch);
            client.SkipAll();
        }
    }
}
