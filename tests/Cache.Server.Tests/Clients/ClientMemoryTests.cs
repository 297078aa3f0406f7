using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Tests.Clients;

public sealed class ClientMemoryTests
{
    private const int Clients = 20_000;

    // More than the store holds: taken back before it was given, it would make the sum of both negative.
    private const long UnsentBytes = 1L << 40;

    [Fact]
    public async Task CountUnsent_WhileTheClientEnds_NeverTakesBackWhatWasNotCounted()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        var settings = new ServerSettings { ClientMemoryLimit = long.MaxValue };
        var clients = new ClientRegistry(settings, new AclUsers(), store, static (_, _, _) => { });
        ClientSession? current = null;
        bool isOver = false;
        var sweep = Task.Run(
            () =>
            {
                for (long bytes = UnsentBytes; !Volatile.Read(ref isOver); bytes ^= UnsentBytes)
                    Volatile.Read(ref current)?.CountUnsent(bytes, clients.Memory);
            },
            TestContext.Current.CancellationToken);
        for (int i = 0; i < Clients && !sweep.IsCompleted; i++)
        {
            var client = clients.TryAdd(new ClientEndPoints("a", "b"), static () => { })!;
            Volatile.Write(ref current, client);
            Thread.SpinWait(i % 64);
            clients.Remove(client);
        }

        Volatile.Write(ref isOver, true);
        await sweep;
        Assert.Equal(0, clients.Memory.Bytes);
        Assert.InRange(store.GetStatistics().MemoryPeakBytes, 0, 4 * UnsentBytes);
    }
}
