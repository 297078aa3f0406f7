using System.Globalization;
using System.Text;
using Cache.Server.Statistics;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Live;

/// <summary>One connection of a load, with a thread of its own.</summary>
internal sealed class BenchClient : IDisposable
{
    private const int PercentMax = 100;
    private const double NanosecondsPerTick = 100;

    // What a load leaves behind ends by itself.
    private const string TtlSeconds = "600";

    private readonly BenchPlan _plan;
    private readonly TimeProvider _time;
    private readonly ServerConnection _server;
    private readonly Random _random;
    private readonly LatencyHistogram _latencies = new();
    private readonly string _value;

    public BenchClient(BenchPlan plan, int number, TimeProvider time)
    {
        _plan = plan;
        _time = time;
        _server = ServerConnection.Open(plan.Address);
        _random = new Random(number);
        _value = new string('x', plan.Size);
    }

    public long Requests { get; private set; }

    public long Reads { get; private set; }

    public long Hits { get; private set; }

    /// <summary>Why it ended before its time; null: it did not.</summary>
    public string? Failure { get; private set; }

    public static LatencyCounts Sum(List<BenchClient> clients)
    {
        long[] sums = new long[LatencyHistogram.ClassCount];
        clients.ForEach(client => client._latencies.AddTo(sums));
        return new LatencyCounts(sums);
    }

    public void Run()
    {
        try
        {
            long start = _time.GetTimestamp();
            while (_time.GetElapsedTime(start) < _plan.Time && Failure is null)
                RunOnce();
        }
        catch (Exception failure) when (failure is ToolException or OutOfMemoryException)
        {
            Failure = failure.Message;
        }
    }

    public void Dispose() => _server.Dispose();

    private void RunOnce()
    {
        var text = new StringBuilder();
        Span<bool> isRead = stackalloc bool[_plan.Pipeline];
        for (int i = 0; i < isRead.Length; i++)
        {
            isRead[i] = _random.Next(PercentMax) >= _plan.Writes;
            Append(text, isRead[i], string.Create(CultureInfo.InvariantCulture, $"bench:{_random.Next(_plan.Keys)}"));
        }

        byte[] requests = Encoding.ASCII.GetBytes(text.ToString());
        long start = _time.GetTimestamp();
        _server.SendRaw(requests);
        for (int i = 0; i < isRead.Length; i++)
            Count(_server.Receive(), isRead[i]);
        _latencies.Add((long)(_time.GetElapsedTime(start).Ticks * NanosecondsPerTick), isRead.Length);
    }

    private void Append(StringBuilder text, bool isRead, string key)
    {
        var culture = CultureInfo.InvariantCulture;
        if (isRead)
        {
            text.Append(culture, $"*2\r\n$3\r\nGET\r\n${key.Length}\r\n{key}\r\n");
            return;
        }

        text.Append(culture, $"*5\r\n$3\r\nSET\r\n${key.Length}\r\n{key}\r\n${_value.Length}\r\n{_value}\r\n")
            .Append(culture, $"$2\r\nEX\r\n${TtlSeconds.Length}\r\n{TtlSeconds}\r\n");
    }

    private void Count(Reply reply, bool isRead)
    {
        if (reply.Kind == ReplyKind.Error)
            Failure ??= reply.Text;
        Requests++;
        Reads += isRead ? 1 : 0;
        Hits += isRead && reply.Kind == ReplyKind.Text ? 1 : 0;
    }
}
