using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Cache.Bench.ServerLoad;

namespace Cache.Bench;

/// <summary>Measures what a connection costs a server's process while nothing happens on it.</summary>
internal static class ServerIdleVerb
{
    // Connections beforehand, so that what the first ones make for all is not counted.
    private const int EarlyConnections = 500;

    private static readonly TargetOption _target = new();

    private static readonly Option<int> _pid = new("--pid")
    {
        Required = true,
        Description = "The server's process on this machine.",
    };

    private static readonly Option<int> _connections = new("--connections")
    {
        DefaultValueFactory = static _ => 9000,
        Description = "How many idle connections.",
    };

    public static Command Create()
    {
        var verb = new Command(
            "server-idle", "Opens connections, one PING each, and prints what each costs the server.")
        {
            _target, _pid, _connections,
        };
        _connections.RequireAtLeast(1);
        verb.SetAction(static arguments => Run(
            _target.ReadFrom(arguments), arguments.GetValue(_pid), arguments.GetValue(_connections)));
        return verb;
    }

    private static int Run(EndPoint target, int pid, int count)
    {
        var sockets = new List<Socket>();
        try
        {
            Open(target, EarlyConnections, sockets);
            long before = ProcessUsage.Read(pid).ResidentBytes;
            Open(target, count, sockets);
            long after = ProcessUsage.Read(pid).ResidentBytes;
            Console.WriteLine(
                $"{count} idle connections after {EarlyConnections}: "
                + $"{(after - before) / (double)count:F0} bytes each, "
                + $"{before >> 20} MB before, {after >> 20} MB after");
            return 0;
        }
        finally
        {
            sockets.ForEach(static socket => socket.Dispose());
        }
    }

    // Each has been served once: what is made for a first request belongs to the cost.
    private static void Open(EndPoint target, int count, List<Socket> sockets)
    {
        byte[] reply = new byte["+PONG\r\n".Length];
        for (int i = 0; i < count; i++)
        {
            var socket = LoadRun.ConnectTo(target);
            sockets.Add(socket);
            socket.Send("*1\r\n$4\r\nPING\r\n"u8);
            for (int received = 0; received < reply.Length;)
            {
                int bytes = socket.Receive(reply.AsSpan(received));
                if (bytes == 0)
                    throw new WrongAnswerException($"The server closed connection {sockets.Count}; raise its limits.");
                received += bytes;
            }

            if (!reply.AsSpan().SequenceEqual("+PONG\r\n"u8))
                throw new WrongAnswerException("PING was not answered by PONG; does the server ask for a password?");
        }
    }
}
