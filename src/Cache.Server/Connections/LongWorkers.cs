namespace Cache.Server.Connections;

/// <summary>The threads that execute commands which would keep other clients waiting.</summary>
/// <remarks>
/// Two lanes: commands for administrators (flagged in Redis's table: CONFIG, ACL, CLIENT LIST and KILL) do not wait
/// behind the long commands of clients that the administrator is about to stop. Thread-safe.
/// </remarks>
internal sealed class LongWorkers : IDisposable
{
    /// <summary>
    /// At most this many requests are executed at once: a slow one does not delay the others, and their memory, one
    /// reply each, stays small.
    /// </summary>
    public const int ThreadsMax = 4;

    /// <summary>
    /// Further threads for administrators: lowering a limit takes seconds, and must not delay other commands.
    /// </summary>
    public const int AdministratorThreadsMax = 2;

    private readonly WorkerLane _all = new(ThreadsMax);
    private readonly WorkerLane _administrators = new(AdministratorThreadsMax);

    /// <summary>How many requests have been executed here; a recent value.</summary>
    public long Count => _all.Count + _administrators.Count;

    /// <summary>The code after the await runs on one of the threads.</summary>
    /// <param name="isAdministrative">Whether it is a command for administrators.</param>
    public WorkerLane.Entrance EnterAsync(bool isAdministrative = false) =>
        (isAdministrative ? _administrators : _all).EnterAsync();

    /// <summary>Ends the threads once no request waits.</summary>
    public void Dispose()
    {
        _all.Dispose();
        _administrators.Dispose();
    }
}
