using System.CommandLine;
using System.Diagnostics;
using System.Net.Sockets;
using Cache.Bench.ServerLoad;
using Cache.Bench.Subjects;
using Cache.Bench.Traces;
using Cache.Testing;

namespace Cache.Bench.Verbs;

/// <summary>Replays a trace against a running server: GET, and SET on a miss.</summary>
internal static class ReplayVerb
{
    private static readonly Option<string> _trace = new("--trace") { Required = true, Description = "A trace file." };
    private static readonly Option<string> _host = new("--host") { DefaultValueFactory = static _ => "127.0.0.1" };
    private static readonly Option<int> _port = new("--port") { DefaultValueFactory = static _ => 6379 };
    private static readonly Option<int> _value = new("--value")
    {
        Description = "Bytes of a value.",
        DefaultValueFactory = static _ => 64,
    };

    private static readonly Option<int> _connections = new("--connections")
    {
        Description = "Connections; an id always goes over the same one.",
        DefaultValueFactory = static _ => 1,
    };

    private static readonly Option<int> _pipeline = new("--pipeline")
    {
        Description = "The most requests sent together; an id that comes again waits for its first reply.",
        DefaultValueFactory = static _ => 16,
    };

    public static Command Create()
    {
        var verb = new Command("replay", "Replays a trace over TCP against a running server: GET, SET on a miss.")
        {
            _trace, _host, _port, _value, _connections, _pipeline,
        };
        foreach (var option in new[] { _value, _connections, _pipeline })
            option.RequireAtLeast(1);
        _trace.RequireFile();
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        uint[] ids = TraceFile.Read(arguments.GetValue(_trace)!);
        int connections = arguments.GetValue(_connections);
        var replays = new TraceReplay[connections];
        try
        {
            for (int i = 0; i < connections; i++)
            {
                var connection = new RespConnection(arguments.GetValue(_host)!, arguments.GetValue(_port));
                uint[] share = [.. ids.Where(id => id % connections == i)];
                replays[i] = new TraceReplay(
                    connection, share, arguments.GetValue(_value), arguments.GetValue(_pipeline));
            }
        }
        catch (SocketException failure)
        {
            string address = $"{arguments.GetValue(_host)}:{arguments.GetValue(_port)}";
            Console.Error.WriteLine($"No server at {address}: {failure.Message}");
            return 1;
        }

        var watch = Stopwatch.StartNew();
        BenchThreads.Run(connections, thread => replays[thread].Run());
        Print(ids.Length, replays.Sum(static replay => replay.Hits), watch.Elapsed);
        return 0;
    }

    private static void Print(long requests, long hits, TimeSpan elapsed)
    {
        long operations = requests + (requests - hits);
        var table = new TextTable("requests", "hits", "operations", "seconds", "ops/s");
        table.Add(
            $"{requests}", $"{hits}", $"{operations}", $"{elapsed.TotalSeconds:F2}",
            $"{operations / elapsed.TotalSeconds:F0}");
        table.Print();
        Console.WriteLine($"hit ratio {(double)hits / requests:F4}");
    }
}
