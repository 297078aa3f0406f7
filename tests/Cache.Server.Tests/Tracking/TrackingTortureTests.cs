using System.Globalization;
using System.Net;
using Cache.Core;
using Cache.Server.Transport.Linux;
using Cache.Testing;

namespace Cache.Server.Tests.Tracking;

/// <summary>
/// Clients on several loops cache what they read, while writers of each door write versions: behind the reply to a PING
/// no client has a version that is older than the latest one that was acknowledged before the PING.
/// </summary>
public sealed class TrackingTortureTests : IDisposable
{
    private const int Keys = 4;

    // A read takes some microseconds, so that writes often come between its beginning and its end.
    private const int ValueLength = 32 * 1024;
    private const int Rounds = 1500;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
    private readonly long[] _acknowledged = new long[2 * Keys];
    private volatile bool _isOver;

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData("")]
    [InlineData("BCAST")]
    [InlineData("BCAST PREFIX key: NOLOOP")]
    [InlineData("OPTIN")]
    [InlineData("NOLOOP", "MGET")]
    public Task Read_BesideWriters_NeverStaysStale(string options, string command = "GET") =>
        RandomSeed.RunAsync(
            this, seed => RunAsync(options.Split(' ', StringSplitOptions.RemoveEmptyEntries), command, seed));

    private async Task RunAsync(string[] options, string command, int seed)
    {
        _isOver = false;
        await using var server = new RespServer(_store, new RespServerOptions
        {
            Port = 0,
            Bind = ["127.0.0.1"],
            IoThreadCount = EpollTransport.IsSupported ? 3 : 1,
        });
        await server.StartAsync(TestContext.Current.CancellationToken);
        var endPoint = server.EndPoints[0];
        var writers = new[]
        {
            Start(() => WriteInProcess(new Random(seed))),
            Start(() => WriteByClient(endPoint, new Random(seed + 1))),
        };
        var readers = Enumerable.Range(2, 3)
            .Select(i => Start(() => Read(endPoint, options, command, new Random(seed + i)))).ToArray();
        try
        {
            await Task.WhenAll(readers);
        }
        finally
        {
            _isOver = true;
            await Task.WhenAll(writers);
        }
    }

    private static Task Start(Action action) => Task.Factory.StartNew(
        action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Read(EndPoint endPoint, string[] options, string command, Random random)
    {
        using var client = new CachingClient(endPoint);
        Assert.Equal("OK", client.Call(["CLIENT", "TRACKING", "ON", .. options]));
        long[] floor = new long[_acknowledged.Length];
        long told = 0;
        for (int round = 0; round < Rounds || (told == 0 && client.Told == 0); round++)
        {
            string key = KeyOf(random.Next(_acknowledged.Length));
            if (!client.Cache.ContainsKey(key))
            {
                if (options is ["OPTIN"])
                    client.Send("CLIENT", "CACHING", "YES");
                client.Send(command, key);
                if (options is ["OPTIN"])
                    client.Receive();
                if (client.Receive() is { Length: > 0 } value)
                    client.Cache[key] = VersionOf(value);
            }

            for (int i = 0; i < floor.Length; i++)
                floor[i] = Volatile.Read(ref _acknowledged[i]);
            Assert.Equal("PONG", client.Call("PING"));
            for (int i = 0; i < floor.Length; i++)
            {
                if (client.Cache.TryGetValue(KeyOf(i), out long version))
                    Assert.True(version >= floor[i], $"{KeyOf(i)}: {version} < {floor[i]} in round {round}");
            }

            told += client.Told;
        }
    }

    private void WriteInProcess(Random random)
    {
        byte[] value = new byte[ValueLength];
        for (long version = 1; !_isOver; version++)
        {
            int index = random.Next(Keys);
            value.AsSpan().Fill((byte)'.');
            version.TryFormat(value, out _, provider: CultureInfo.InvariantCulture);
            byte[] key = System.Text.Encoding.ASCII.GetBytes(KeyOf(index));
            if (version % 50 == 0)
                _store.Remove(key);
            else
                _store.Set(key, value);
            Volatile.Write(ref _acknowledged[index], version);
            Pause(random);
        }
    }

    private void WriteByClient(EndPoint endPoint, Random random)
    {
        using var client = new CachingClient(endPoint);
        for (long version = 1; !_isOver; version++)
        {
            int index = Keys + random.Next(Keys);
            string text = version.ToString(CultureInfo.InvariantCulture);
            client.Call("SET", KeyOf(index), text + new string('.', ValueLength - text.Length));
            Volatile.Write(ref _acknowledged[index], version);
            Pause(random);
        }
    }

    // Sparsely: what a write leaves stale, the next one must not hide.
    private static void Pause(Random random) => Thread.SpinWait(random.Next(4000));

    private static string KeyOf(int index) => $"key:{index}";

    private static long VersionOf(string value) =>
        long.Parse(value.AsSpan(0, value.IndexOf('.', StringComparison.Ordinal)), CultureInfo.InvariantCulture);
}
