namespace Cache.Server.Statistics;

/// <summary>Counts commands and traffic in plain fields, for the client that is served at the time.</summary>
/// <remarks>
/// Written by one thread at a time, the one that has borrowed its context; others may read counts that are a moment
/// old.
/// </remarks>
internal sealed class CommandCounters(int commandCount)
{
    // One call in this many is timed: two clock readings cost more than a GET.
    private const int CallsPerSample = 64;

    private readonly CommandCount[] _commands = new CommandCount[commandCount];

    /// <summary>The traffic of connections.</summary>
#pragma warning disable CA1051 // A field, since counters are written in place, without a copy.
    public TrafficCount Traffic;
#pragma warning restore CA1051

    /// <summary>Counts a call.</summary>
    /// <returns>Whether this call is timed.</returns>
    public bool CountCall(int command) => (_commands[command].Calls++ & (CallsPerSample - 1)) == 0;

    /// <summary>Takes back the count of a call that will be repeated.</summary>
    public void TakeBackCall(int command) => _commands[command].Calls--;

    /// <summary>Counts that a call failed.</summary>
    public void CountFailure(int command) => _commands[command].Failures++;

    /// <summary>Counts the duration of a call.</summary>
    public void AddSample(int command, long ticks)
    {
        ref var count = ref _commands[command];
        count.Samples++;
        count.SampledTicks += ticks;
    }

    /// <summary>Adds the counts to sums, by the commands' indexes.</summary>
    public void AddTo(Span<CommandCount> sums, ref TrafficCount traffic)
    {
        for (int i = 0; i < _commands.Length; i++)
            sums[i].Add(_commands[i]);
        traffic.Add(Traffic);
    }
}
