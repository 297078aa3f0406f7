namespace Cache.Server.Scripts;

/// <summary>The script that runs, alone among the clients: one at a time. Thread-safe.</summary>
/// <remarks>
/// <code>
///  none ── Begin ─▶ runs ── NoteWrite ─▶ has written ── End ─▶ none
///                     └── TryKill ─▶ killed ── End ──────────────▲
/// </code>
/// A script that has written cannot be killed, since others would see a part of it; only the server's stop ends it.
/// </remarks>
internal sealed class PresentScript
{
    private const int None = 0;
    private const int Runs = 1;
    private const int HasWritten = 2;
    private const int Killed = 3;

    private int _state;
    private bool _isOver;

    /// <summary>Whether it is to end.</summary>
    public bool IsKilled => Volatile.Read(ref _state) == Killed || Volatile.Read(ref _isOver);

    /// <summary>Whether one runs.</summary>
    public bool IsThere => Volatile.Read(ref _state) != None;

    /// <summary>A script begins.</summary>
    public void Begin() => Volatile.Write(ref _state, Runs);

    /// <summary>It is about to write.</summary>
    /// <returns>False if it was killed: it must not.</returns>
    public bool TryNoteWrite() =>
        !Volatile.Read(ref _isOver)
        && (Volatile.Read(ref _state) == HasWritten
            || Interlocked.CompareExchange(ref _state, HasWritten, Runs) is Runs or HasWritten);

    /// <summary>It has ended.</summary>
    public void End() => Volatile.Write(ref _state, None);

    /// <summary>Ends it, and each that begins later, whether it has written or not: the server stops.</summary>
    public void EndAll() => Volatile.Write(ref _isOver, true);

    /// <summary>SCRIPT KILL.</summary>
    public ScriptKill TryKill() => Interlocked.CompareExchange(ref _state, Killed, Runs) switch
    {
        None => ScriptKill.NoneRuns,
        HasWritten => ScriptKill.HasWritten,
        _ => ScriptKill.Done,
    };
}
