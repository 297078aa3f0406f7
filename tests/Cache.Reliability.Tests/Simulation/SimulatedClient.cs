using Cache.Testing;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>A client and its way to the server: bytes that are under way, and requests that they complete.</summary>
internal sealed class SimulatedClient
{
    // A piece arrives whole; its requests are those whose last byte it brings.
    private readonly Queue<(long DueMs, byte[] Bytes, string[][] Requests)> _underWay = new();

    public InMemoryClient? Connection { get; set; }

    public long LastArrivalMs { get; set; }

    public bool IsIdle => _underWay.Count == 0;

    public long NextDueMs => _underWay.TryPeek(out var piece) ? piece.DueMs : long.MaxValue;

    /// <summary>Sends requests in random pieces, each delayed, none overtaking another.</summary>
    public void Send(string[][] requests, long nowMs, Random random)
    {
        byte[][] encoded = [.. requests.Select(SimulatedRequests.Encode)];
        byte[] bytes = [.. encoded.SelectMany(static request => request)];
        int pieces = random.Next(1, 6);
        int[] cuts = [.. Enumerable.Range(1, pieces - 1).Select(_ => random.Next(bytes.Length)).Order(), bytes.Length];
        int start = 0;
        int done = 0;
        int doneBytes = 0;
        long dueMs = Math.Max(nowMs, _underWay.LastOrDefault().DueMs);
        foreach (int end in cuts)
        {
            int first = done;
            while (done < encoded.Length && doneBytes + encoded[done].Length <= end)
                doneBytes += encoded[done++].Length;
            dueMs += random.Next(8) == 0 ? random.Next(2_000) : random.Next(3);
            _underWay.Enqueue((dueMs, bytes[start..end], requests[first..done]));
            start = end;
        }
    }

    public (byte[] Bytes, string[][] Requests) Arrive()
    {
        var (_, bytes, requests) = _underWay.Dequeue();
        return (bytes, requests);
    }

    /// <summary>The connection is gone, and with it whatever was under way.</summary>
    public void Drop()
    {
        Connection?.Vanish();
        Connection = null;
        _underWay.Clear();
    }
}
