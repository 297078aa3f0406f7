using System.Net;
using System.Runtime.InteropServices;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Connections;
using Cache.Server.Settings;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Bench.ServerLoad;

/// <summary>Our own transport, connections and protocol with an executor of the caller's at their end.</summary>
/// <remarks>samples/PingServer compiles it too.</remarks>
internal static class BareServer
{
    // The runtime reads it once, at the process's first socket; the portable transport needs it.
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Serves until the process is asked to end.</summary>
    /// <param name="port">Of the loopback address.</param>
    /// <param name="executor">Answers the requests.</param>
    /// <param name="answers">What it answers, for the line that says so.</param>
    public static async Task ServeAsync<TExecutor>(int port, TExecutor executor, string answers)
        where TExecutor : struct, IRequestExecutor
    {
        if (Environment.GetEnvironmentVariable(InlineCompletions) is null)
            Environment.SetEnvironmentVariable(InlineCompletions, "1");
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin });
        var acceptor = new ConnectionAcceptor<TExecutor>(
            new ServerState(store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers),
            executor,
            NullLogger.Instance);
        using var epoll = EpollTransport.IsSupported ? new EpollTransport(1, TimeProvider.System) : null;
        var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, port),
            new SocketTransportSettings { Listen = epoll is null ? null : epoll.Listen });
        var accepting = acceptor.AcceptAsync(listener);
        Console.WriteLine($"Answers {answers} on {listener.EndPoint}. Ctrl+C stops it.");

        await StopSignal();
        await listener.DisposeAsync();
        await accepting;
        await acceptor.StopAsync(TimeSpan.FromSeconds(1), CancellationToken.None);
    }

    private static async Task StopSignal()
    {
        var stop = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        void Stop(PosixSignalContext signal)
        {
            signal.Cancel = true;
            stop.TrySetResult();
        }

        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        await stop.Task;
    }
}
