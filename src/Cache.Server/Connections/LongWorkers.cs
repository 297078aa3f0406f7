namespace Cache.Server.Connections;

/// <summary>The threads on which what would keep other clients waiting is executed.</summary>
/// <remarks>
/// Two lanes: what is for administrators (the flag of Redis's table: CONFIG, ACL, CLIENT LIST and KILL) does not wait
/// behind the long commands of those whom the administrator is about to stop. Thread-safe.
/// </remarks>
internal sealed class LongWorkers : IDisposable
{
    /// <summary>
    /// At most this many requests are executed at once: a slow one does not delay the others, and what
    /// they hold together, a reply each, stays small.
    /// </summary>
    public const int ThreadsMax = 4;

    /// <summary>
    /// Further ones for administrators: lowering a limit takes seconds, and must not delay other commands.
    /// </summary>
    public const int AdministratorThreadsMax = 2;

    private readonly WorkerLane _all = new(ThreadsMax);
    private readonly WorkerLane _administrators = new(AdministratorThreadsMax);

    /// <summary>How many requests have been executed here; a recent value.</summary>
    public long Count => _all.Count + _administrators.Count;

    /// <summary>What follows the await is executed by one of the threads.</summary>
    /// <param name="isAdministrative">Whether it is a command for administrators.</param>
    public WorkerLane.Entrance EnterAsync(bool isAdministrative = false) =>
        (isAdministrative ? _administrators : _all).EnterAsync();

    /// <summary>Lets the threads end when nothing waits any more.</summary>
    public void Dispose()
    {
        _all.Dispose();
        _administrators.Dispose();
    }
}
