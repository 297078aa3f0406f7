// The whole pipe of the server, transport, connections and protocol, with PING alone at its end: what a command costs
// beyond this is the command's. Usage: PingServer [port]

using System.Net;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Connections;
using Cache.Server.Settings;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;
using PingServer;

// The runtime reads this once, at the process's first socket.
if (Environment.GetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS") is null)
    Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1");

int port = args.Length > 0 && int.TryParse(args[0], out int chosen) ? chosen : 6379;
using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin });
var acceptor = new ConnectionAcceptor<PingExecutor>(
    new ServerState(store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers),
    default,
    NullLogger.Instance);
using var epoll = EpollTransport.IsSupported ? new EpollTransport(1, TimeProvider.System) : null;
var listener = SocketListener.Bind(
    new IPEndPoint(IPAddress.Loopback, port),
    new SocketTransportSettings { Listen = epoll is null ? null : epoll.Listen });
var accepting = acceptor.AcceptAsync(listener);
Console.WriteLine($"Answers PONG on {listener.EndPoint}. Ctrl+C stops it.");

var stop = new TaskCompletionSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.TrySetResult();
};
await stop.Task;
await listener.DisposeAsync();
await accepting;
await acceptor.StopAsync(TimeSpan.FromSeconds(1), CancellationToken.None);
