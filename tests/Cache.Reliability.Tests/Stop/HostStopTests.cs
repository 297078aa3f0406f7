using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Reliability.Tests.Stop;

/// <summary>Hosts that are stopped while requests arrive; each time another byte of them is the last one.</summary>
/// <remarks>The environment variable CACHE_HOST_STOPS makes more of them.</remarks>
public sealed class HostStopTests
{
    private const string StopsVariable = "CACHE_HOST_STOPS";
    private const int StopsDefault = 40;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    public static TheoryData<RespTransport> Transports => [.. FuzzTransports.Offered];

    private static int Stops =>
        int.TryParse(Environment.GetEnvironmentVariable(StopsVariable), CultureInfo.InvariantCulture, out int count)
            ? count
            : StopsDefault;

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Stop_AtAnyByte_AnswersWholeRequestsOrNone(RespTransport transport) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            var random = new Random(seed);
            string[] scripts = [.. StopScripts.All.Keys];
            for (int i = 0; i < Stops; i++)
            {
                string script = scripts[random.Next(scripts.Length)];
                byte[] bytes = [.. StopScripts.All[script].SelectMany(static piece => piece)];
                int cut = random.Next(3) == 0 ? bytes.Length : random.Next(bytes.Length);
                try
                {
                    await StopAsync(transport, bytes[..cut], random.Next(2) == 0);
                }
                catch (Exception e)
                {
                    throw new FuzzFailureException($"Stopped after {cut} bytes of {script}: {e.Message}");
                }
            }
        });

    private static async Task StopAsync(RespTransport transport, byte[] bytes, bool isStopped)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddCacheServer(options =>
            (options.Port, options.Transport, options.DrainTimeout) = (0, transport, TimeSpan.FromSeconds(2)));
        using var host = builder.Build();
        await host.StartAsync();
        var server = host.Services.GetRequiredService<RespServer>();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(server.EndPoints[0]);
        var reading = ReadToEndAsync(socket);
        var sending = SendAsync(socket, bytes);

        // A host that is only disposed does not drain.
        if (isStopped)
            await host.StopAsync().WaitAsync(_patience);
        if (host is IAsyncDisposable disposable)
            await disposable.DisposeAsync().AsTask().WaitAsync(_patience);
        await sending.WaitAsync(_patience);
        var (received, wasReset) = await reading.WaitAsync(_patience);

        var replies = ReplyScanner.Scan(received, takesVersion3: false);
        if (isStopped && !wasReset && replies.IsCut)
            throw new FuzzFailureException($"{replies.Replies} replies and a part of one.");
        await ExpectNoClientIsLeftAsync(server);
    }

    // On a busy machine a command may outlast the time that a stop waits for it: it ends then, and gives all back.
    private static async Task ExpectNoClientIsLeftAsync(RespServer server)
    {
        long start = Stopwatch.GetTimestamp();
        while (server.State.Clients.Count > 0 || server.State.ClientMemory.Bytes != 0)
        {
            if (Stopwatch.GetElapsedTime(start) > _patience)
                throw new FuzzFailureException($"{server.State.ClientMemory.Bytes} bytes of clients are left.");
            await Task.Delay(1);
        }
    }

    // The server may close while it is sent.
    private static async Task SendAsync(Socket socket, byte[] bytes)
    {
        try
        {
            await socket.SendAsync(bytes);
        }
        catch (SocketException)
        {
        }
    }

    // What the server had not read when it closed makes a reset of the end, which may take replies with it.
    private static async Task<(byte[] Received, bool WasReset)> ReadToEndAsync(Socket socket)
    {
        var received = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (await socket.ReceiveAsync(buffer) is > 0 and var count)
                received.Write(buffer, 0, count);
            socket.Shutdown(SocketShutdown.Send); // As a client does; else the server waits for it, for a second.
            return (received.ToArray(), false);
        }
        catch (SocketException)
        {
            return (received.ToArray(), true);
        }
    }
}
