// The whole pipe of the server, transport, connections and protocol, with PING alone at its end: what a command costs
// beyond this is the command's. Usage: PingServer [port]

using Cache.Bench.ServerLoad;
using PingServer;

int port = args.Length > 0 && int.TryParse(args[0], out int chosen) ? chosen : 6379;
await BareServer.ServeAsync(port, default(PingExecutor), "PONG");
