using System.Runtime.CompilerServices;

namespace Cache.Server.Commands;

/// <summary>
/// Counts the commands of one client in plain fields, and folds them into the server's counters now and then.
/// </summary>
/// <remarks>
/// A small cache: each command has one of eight places by its index; when another command needs the place, what it
/// holds goes to the server's counters. So a client costs 200 bytes, not a counter for every command, and counting
/// costs no interlocked operation as long as a client does not change between commands of the same place. Written by
/// the client's
/// thread only; <see cref="AddTo"/> may read from another one, and then sees counts that are a moment old.
/// </remarks>
internal struct CommandCounters
{
    private const int PlaceCount = 8;

    // One call in so many is timed: two readings of the clock cost more than a GET.
    private const int CallsPerSample = 64;

    // A place begins anew long before its counters could.
    private const uint CallsMax = 1 << 20;

    private Places _places;

    /// <summary>Counts a call.</summary>
    /// <returns>Whether this call is to be timed.</returns>
    public bool CountCall(int command, ServerStatistics statistics)
    {
        ref var place = ref _places[command & (PlaceCount - 1)];
        if (place.CommandPlusOne != command + 1)
            Occupy(ref place, command, statistics);
        uint calls = place.Calls++;
        if (calls % CallsPerSample != 0)
            return false;
        if (calls >= CallsMax)
            Restart(ref place, command, statistics);
        return true;
    }

    /// <summary>Counts that the call counted last failed.</summary>
    public void CountFailure(int command) => _places[command & (PlaceCount - 1)].Failures++;

    /// <summary>Takes the duration of the call counted last.</summary>
    public void AddSample(int command, long ticks)
    {
        ref var place = ref _places[command & (PlaceCount - 1)];
        place.Samples++;
        place.SampledTicks += ticks;
    }

    /// <summary>Adds what is held here to a sum.</summary>
    public readonly void AddTo(Span<CommandCount> sums)
    {
        foreach (ref readonly var place in _places)
        {
            int command = place.CommandPlusOne - 1;
            if (command >= 0)
                sums[command].Add(place.ToCount());
        }
    }

    /// <summary>Folds everything into the server's counters.</summary>
    public void FoldInto(ServerStatistics statistics)
    {
        foreach (ref var place in _places)
            Occupy(ref place, -1, statistics);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // The cold half of CountCall.
    private static void Occupy(ref Place place, int command, ServerStatistics statistics)
    {
        if (place.CommandPlusOne > 0)
            statistics.Fold(place.CommandPlusOne - 1, place.ToCount());
        place = new Place { CommandPlusOne = command + 1 };
    }

    // The call that is being counted stays, for what is yet to be said of it: that it failed, and how long it took.
    [MethodImpl(MethodImplOptions.NoInlining)] // One call in a million.
    private static void Restart(ref Place place, int command, ServerStatistics statistics)
    {
        place.Calls--;
        Occupy(ref place, command, statistics);
        place.Calls = 1;
    }

    private struct Place
    {
        public int CommandPlusOne;
        public uint Calls;
        public uint Failures;
        public uint Samples;
        public long SampledTicks;

        public readonly CommandCount ToCount() => new()
        {
            Calls = Calls,
            Failures = Failures,
            Samples = Samples,
            SampledTicks = SampledTicks,
        };
    }

    [InlineArray(PlaceCount)]
    private struct Places
    {
        private Place _first;
    }
}
