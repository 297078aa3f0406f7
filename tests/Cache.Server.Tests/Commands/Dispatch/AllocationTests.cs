using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Tests.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Dispatch;

/// <summary>The commands of a cache's every day allocate nothing, from the dispatcher to the reply.</summary>
public sealed class AllocationTests : IDisposable
{
    // A collection that another test causes ends this thread's allocation buffer, whose rest then counts as allocated.
    private const int Rounds = 10;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData("GET key")]
    [InlineData("GET absent")]
    [InlineData("SET key other")]
    [InlineData("SET key other EX 100")]
    [InlineData("SET key other XX GET PX 100000")]
    [InlineData("SETEX key 100 other")]
    [InlineData("SETNX key other")]
    [InlineData("GETEX key EX 100")]
    [InlineData("MGET key absent key counter")]
    [InlineData("MSET key value counter 1")]
    [InlineData("STRLEN key")]
    [InlineData("GETRANGE key 1 2")]
    [InlineData("SETRANGE key 1 x")]
    [InlineData("INCR counter")]
    [InlineData("DECRBY counter 5")]
    [InlineData("EXISTS key absent")]
    [InlineData("DEL absent")]
    [InlineData("PERSIST key")]
    [InlineData("TTL key")]
    [InlineData("TYPE key")]
    [InlineData("LCS key other LEN")]
    [InlineData("COMMAND INFO")]
    [InlineData("COMMAND DOCS")]
    public void Execute_WarmedUp_AllocatesNothing(string line) => Measure(line, TestServerState.Create(_store));

    [Theory]
    [InlineData("GET key")]
    [InlineData("SET key other")]
    [InlineData("MGET {key}1 {key}2 key")]
    [InlineData("MSET {key}1 a key b")]
    public void Execute_InACluster_AllocatesNothing(string line)
    {
        var server = TestServerState.Create(_store);
        server.Cluster = TestCluster.Create("127.0.0.1:7299");
        Measure(line, server);
    }

    private void Measure(string line, ServerState server)
    {
        _store.Set("key"u8, "value"u8);
        _store.Set("other"u8, "value"u8);
        _store.Set("counter"u8, "1000000"u8);
        server.Settings.SlowLogMicroseconds = -1; // A call that took long is logged, which allocates.
        var client = server.Clients.TryAdd(new ClientEndPoints("127.0.0.1:50000", "127.0.0.1:6379"), () => { })!;
        var context = server.Contexts.Borrow();
        context.Begin(client, new DiscardingPipeWriter());
        byte[] input = Encoding.Latin1.GetBytes(line.Replace(" ", "", StringComparison.Ordinal));
        var ranges = new List<ArgumentRange>();
        foreach (string word in line.Split(' '))
            ranges.Add(new ArgumentRange(ranges.Sum(range => range.Length), word.Length));
        ArgumentRange[] arguments = [.. ranges];

        Execute(input, arguments, context, 2000);
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            Execute(input, arguments, context, 1000);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }

    private static void Execute(byte[] input, ArgumentRange[] arguments, CommandContext context, int times)
    {
        for (int i = 0; i < times; i++)
        {
            CommandDispatcher.Execute(new RespRequest(input, arguments), context);
            context.Reply.BeginFlush();
        }
    }
}
