namespace Cache.Reliability.Tests.Stop;

/// <summary>The points that requests in flight pass; at one of them something begins, on a thread of its own.</summary>
/// <param name="target">Which, counted from 1.</param>
internal sealed class StopPoints(int target)
{
    // The server's thread stands still for so long, unless all is done before: what has to wait for it begins to.
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(2);

    private int _passed;

    /// <summary>Whether none of them is meant.</summary>
    public bool IsEndless => target == int.MaxValue;

    /// <summary>What happens there; null: nothing is counted.</summary>
    public Func<Task>? Act { get; set; }

    /// <summary>The point's name; null: there were not so many.</summary>
    public string? Name { get; private set; }

    /// <summary>What happens there, once it has begun.</summary>
    public Task Acting { get; private set; } = Task.CompletedTask;

    public void Pass(string name)
    {
        if (Act is not { } act || Interlocked.Increment(ref _passed) != target)
            return;
        Name = name;
        Acting = Task.Run(act);
        Acting.Wait(_pause);
    }
}
