using System.CommandLine;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using Cache.Bench.ServerLoad;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Measures what a connection costs a server's process while nothing happens on it.</summary>
internal static class ServerIdleVerb
{
    // Connections beforehand, and requests on them, so that what the first ones make for all is not counted: a server
    // with a just-in-time compiler goes on compiling what it has found to be used often, for a second or two.
    private const int EarlyConnections = 500;
    private const int EarlyRounds = 100;
    private static readonly TimeSpan _settlingTime = TimeSpan.FromSeconds(2);

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

    private static readonly Option<bool> _tls = new("--tls")
    {
        Description = "Speaks TLS, and takes any certificate.",
    };

    public static Command Create()
    {
        var verb = new Command(
            "server-idle", "Opens connections, one PING each, and prints what each costs the server.")
        {
            _target, _pid, _connections, _tls,
        };
        _connections.RequireAtLeast(1);
        verb.SetAction(static arguments => Run(
            _target.ReadFrom(arguments), arguments.GetValue(_pid), arguments.GetValue(_connections),
            arguments.GetValue(_tls)));
        return verb;
    }

    private static int Run(EndPoint target, int pid, int count, bool isTls)
    {
        var clients = new List<Stream>();
        try
        {
            Open(target, EarlyConnections, isTls, clients);
            for (int i = 0; i < EarlyRounds; i++)
                clients.ForEach(Ping);
            Thread.Sleep(_settlingTime);
            long before = ProcessUsage.Read(pid).ResidentBytes;
            Open(target, count, isTls, clients);
            long after = ProcessUsage.Read(pid).ResidentBytes;
            Console.WriteLine(
                $"{count} idle connections after {EarlyConnections}: "
                + $"{(after - before) / (double)count:F0} bytes each, "
                + $"{before >> 20} MB before, {after >> 20} MB after");
            return 0;
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    // Each has been served once: what is made for a first request belongs to the cost.
    private static void Open(EndPoint target, int count, bool isTls, List<Stream> clients)
    {
        for (int i = 0; i < count; i++)
        {
            Stream client = new NetworkStream(LoadRun.ConnectTo(target), ownsSocket: true);
            if (isTls)
                client = OpenTls(client);
            clients.Add(client);
            Ping(client);
        }
    }

    private static void Ping(Stream client)
    {
        Span<byte> reply = stackalloc byte["+PONG\r\n".Length];
        client.Write("*1\r\n$4\r\nPING\r\n"u8);
        for (int received = 0; received < reply.Length;)
        {
            int bytes = client.Read(reply[received..]);
            if (bytes == 0)
                throw new WrongAnswerException("The server closed a connection; raise its limits.");
            received += bytes;
        }

        if (!reply.SequenceEqual("+PONG\r\n"u8))
            throw new WrongAnswerException("PING was not answered by PONG; does the server ask for a password?");
    }

    // The certificate is not checked: what is measured is the server's memory.
    private static SslStream OpenTls(Stream socket)
    {
        var tls = new SslStream(socket);
        tls.AuthenticateAsClient(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            RemoteCertificateValidationCallback = static (_, _, _, _) => true,
        });
        return tls;
    }
}
