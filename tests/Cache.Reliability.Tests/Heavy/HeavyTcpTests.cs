using System.Globalization;
using System.Net;
using Cache.Core;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server;
using Cache.Testing;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>Requests of up to 64 MB over sockets, where what is missing of one is received into its place.</summary>
/// <remarks>The environment variable CACHE_FUZZ_MINUTES makes more of them.</remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed class HeavyTcpTests(ITestOutputHelper output)
{
    private const int Requests = 60;
    private const int RequestBytesMax = 64 << 20;
    private const long LimitBytes = 384L << 20;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    public static TheoryData<RespTransport> Transports => [.. FuzzTransports.Offered];

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Requests_OfMegabytes_AreAnsweredAndGivenBack(RespTransport transport) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            var random = new Random(seed);
            var budget = new FuzzBudget(Requests);
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = LimitBytes });
            // Seven values are longer together than a client's default bound of pending output.
            var options = new RespServerOptions
            {
                Port = 0,
                Transport = transport,
                ClientMemoryLimit = LimitBytes,
                OutputBufferLimit = LimitBytes,
            };
            await using var server = new RespServer(store, options);
            await server.StartAsync(CancellationToken.None);
            var model = new HeavyModel(store);
            var requests = new HeavyRequests(random, model, RequestBytesMax, RequestBytesMax / 4);
            long bytes = 0;
            while (!budget.IsSpent)
            {
                // One reads nothing meanwhile: its values are lent, and stay as they were.
                using var slow = new HeavySocket((IPEndPoint)server.EndPoints[0], random);
                var batch = requests.NextBatch();
                var batchReply = model.Expect(batch);
                slow.Ask(batch);
                using var socket = new HeavySocket((IPEndPoint)server.EndPoints[0], random);
                for (int i = random.Next(1, 10); i > 0; i--, budget.Add(1))
                    bytes += Exchange(socket, requests.Next(), model);
                var cut = requests.Next();
                socket.SendFirst(cut, random.NextInt64(1, cut.Length));
                slow.Take(batch, batchReply);
                model.Take(batch, batchReply, mayRefuse: false);
            }

            await UntilAsync(() => server.State.Clients.Count == 0 && server.State.ClientMemory.Bytes == 0, server);
            StoreChecks.RequireWhole(store);
            model.CompareAll();
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{budget.Done} requests, {bytes >> 20} MB, {model.Count} entries."));
        });

    private static long Exchange(HeavySocket socket, HeavyRequest request, HeavyModel model)
    {
        var reply = model.Expect(request);
        socket.Exchange(request, reply);
        model.Take(request, reply, mayRefuse: false);
        return request.Length;
    }

    private static async Task UntilAsync(Func<bool> isDone, RespServer server)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!isDone())
        {
            if (TimeProvider.System.GetElapsedTime(start) > _patience)
                throw new FuzzFailureException($"{server.State.ClientMemory.Bytes} bytes of clients are left.");
            await Task.Yield();
        }
    }
}
