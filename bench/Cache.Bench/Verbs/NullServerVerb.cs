using System.CommandLine;
using System.Net;
using System.Runtime.InteropServices;
using Cache.Bench.ServerLoad;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Connections;
using Cache.Server.Settings;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Bench.Verbs;

/// <summary>Our own transport, connections and protocol with nothing at their end: what the pipe alone costs.</summary>
internal static class NullServerVerb
{
    private static readonly Option<int> _port = new("--port") { DefaultValueFactory = static _ => 6379 };
    private static readonly Option<int> _value = new("--value")
    {
        Description = "Bytes of the value that every GET is answered with.",
        DefaultValueFactory = static _ => 256,
    };

    public static Command Create()
    {
        var verb = new Command("null-server", "Serves a fixed value over our own transport: the server's floor.")
        {
            _port, _value,
        };
        _value.RequireAtLeast(0);
        verb.SetAction((arguments, _) => Serve(arguments.GetValue(_port), arguments.GetValue(_value)));
        return verb;
    }

    private static async Task<int> Serve(int port, int valueBytes)
    {
        // The runtime reads this once, at the process's first socket; the portable transport needs it.
        Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1");
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin });
        var acceptor = new ConnectionAcceptor<NullExecutor>(
            new ServerState(store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers),
            new NullExecutor(valueBytes),
            NullLogger.Instance);
        using var epoll = EpollTransport.IsSupported ? new EpollTransport(1, TimeProvider.System) : null;
        var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, port),
            new SocketTransportSettings { Listen = epoll is null ? null : epoll.Listen });
        var accepting = acceptor.AcceptAsync(listener);
        Console.WriteLine($"Answers GET with {valueBytes} bytes on {listener.EndPoint}. Ctrl+C stops it.");

        await StopSignal();
        await listener.DisposeAsync();
        await accepting;
        await acceptor.StopAsync(TimeSpan.FromSeconds(1), CancellationToken.None);
        return 0;
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
