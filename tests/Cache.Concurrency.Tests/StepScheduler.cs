using Cache.Core.Sharding;
using Cache.Server.Waits;

namespace Cache.Concurrency.Tests;

/// <summary>Runs threads one at a time, and says at each step of theirs which one goes on.</summary>
/// <remarks>
/// A thread that waits for another, for the gate or for bytes in transit, gives its turn away whatever the schedule
/// says: so each schedule ends, unless all of them wait for ever, which fails after a bound of steps.
/// </remarks>
internal sealed class StepScheduler(Func<StepScheduler, int> choose)
{
    // A schedule of the tests here has some thousand.
    private const int StepsMax = 200_000;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly List<int> _live = [];
    private readonly List<Exception> _failures = [];
    private SemaphoreSlim[] _turns = [];
    private volatile bool _isOver;

    /// <summary>The steps so far at which the schedule had a choice.</summary>
    public int Steps { get; private set; }

    /// <summary>The thread whose turn it is.</summary>
    public int Current { get; private set; }

    /// <summary>The threads that have not ended.</summary>
    public IReadOnlyList<int> Live => _live;

    /// <summary>Runs the bodies to their ends, each on a thread of its own.</summary>
    public void Run(params Action[] bodies)
    {
        _turns = [.. bodies.Select(static _ => new SemaphoreSlim(0))];
        _live.AddRange(Enumerable.Range(0, bodies.Length));
        var threads = bodies.Select((body, index) => new Thread(() => RunOne(index, body)) { IsBackground = true });
        Thread[] started = [.. threads];
        foreach (var thread in started)
            thread.Start();
        _turns[0].Release();
        foreach (var thread in started)
        {
            if (!thread.Join(_patience))
                throw new TimeoutException($"After {Steps} steps a thread waits for one that is paused.");
        }

        foreach (var turn in _turns)
            turn.Dispose();
        if (_failures.Count > 0)
            throw new AggregateException(_failures);
    }

    /// <summary>Pauses the calling thread until it is its turn again.</summary>
    public void Pause(RoomStep step)
    {
        if (_isOver || step is RoomStep.MemoryIsTaken or RoomStep.PackingNeedsMemory)
            return;
        int caller = Current;
        if (++Steps > StepsMax)
        {
            _isOver = true;
            throw new InvalidOperationException($"There is no end after {StepsMax} steps; the last was {step}.");
        }

        int next = step is RoomStep.WaitsForGate or RoomStep.WaitsForClaim or RoomStep.WaitsForBucket
            or RoomStep.GivesWay
            ? _live[(_live.IndexOf(caller) + 1) % _live.Count]
            : choose(this);
        if (next == caller)
            return;
        Current = next;
        _turns[next].Release();
        _turns[caller].Wait();
    }

    private void RunOne(int index, Action body)
    {
        _turns[index].Wait();
        RoomSteps.Observe(Pause);
        WaitSteps.Observe(() => Pause(RoomStep.WriteEnds));
        try
        {
            body();
        }
        catch (Exception failure)
        {
            _failures.Add(failure); // One thread at a time.
        }
        finally
        {
            RoomSteps.Observe(null);
            WaitSteps.Observe(null);
            _live.Remove(index);
            if (_live.Count > 0)
            {
                Current = _live[0];
                _turns[Current].Release();
            }
        }
    }
}
