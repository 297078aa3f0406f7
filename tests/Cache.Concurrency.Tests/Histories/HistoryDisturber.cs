using System.Diagnostics;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>Makes trouble while the clients of a history work: cuts connections off, and fills the store.</summary>
internal sealed class HistoryDisturber(HistoryServer server, HistoryClient[] clients, bool isTight, Random random)
    : IDisposable
{
    // A round takes some ten of them; each costs the checker a choice more. On a machine so busy that a round takes
    // many times as long, there are no more than twice as many: the checker would not come to an end.
    private const int CutsMax = 20;

    private static readonly TimeSpan _betweenCuts = TimeSpan.FromMilliseconds(15);

    private readonly RespConnection _connection = server.Connect();
    private readonly string _filler = new('x', 3_000);
    private int _working;

    /// <summary>Runs a client's part of a round; the disturbance ends with the last of them.</summary>
    public void During(Action work)
    {
        Interlocked.Increment(ref _working);
        try
        {
            work();
        }
        finally
        {
            Interlocked.Decrement(ref _working);
        }
    }

    public void Run(CancellationToken stop)
    {
        long lastCut = Stopwatch.GetTimestamp();
        int cuts = 0;
        SpinWait.SpinUntil(() => Volatile.Read(ref _working) > 0 || stop.IsCancellationRequested);
        while (Volatile.Read(ref _working) > 0 && !stop.IsCancellationRequested)
        {
            if (cuts < CutsMax && Stopwatch.GetElapsedTime(lastCut) > _betweenCuts)
            {
                lastCut = Stopwatch.GetTimestamp();
                cuts++;
                CutOne();
            }

            if (isTight)
                Fill();
            else
                Thread.Yield();
        }
    }

    public void Dispose() => _connection.Dispose();

    // From the client's side, and from the server's.
    private void CutOne()
    {
        if (random.Next(2) == 0)
        {
            clients[random.Next(clients.Length)].Cut();
            return;
        }

        string[] lines = _connection.Ask("CLIENT", "LIST")[0]!.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] ids = [.. lines.Where(static line => !line.Contains("cmd=get ", StringComparison.Ordinal)
            && !line.Contains("cmd=client", StringComparison.Ordinal))
            .Select(static line => line.Split(' ')[0]["id=".Length..])];
        if (ids.Length > 0)
            _connection.Ask("CLIENT", "KILL", "ID", ids[random.Next(ids.Length)]);
    }

    private void Fill()
    {
        if (random.Next(20) == 0)
            _connection.Ask("CONFIG", "SET", "maxmemory", random.Next(2) == 0 ? "2mb" : "1mb");
        _connection.Ask("SET", $"filler:{random.Next(2_000)}", _filler[..random.Next(_filler.Length)]);
    }
}
