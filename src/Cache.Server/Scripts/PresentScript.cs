namespace Cache.Server.Scripts;

/// <summary>The script that runs, alone among the clients: one at a time. Thread-safe.</summary>
/// <remarks>
/// <code>
///  none ── Begin ─▶ runs ── NoteWrite ─▶ has written ── End ─▶ none
///                     └── TryKill ─▶ killed ── End ──────────────▲
/// </code>
/// A script that has written cannot be killed, since others would see a part of it; only the server's stop ends it.
/// What is not "none" has a bit if it is a function: FUNCTION KILL ends no other script, and SCRIPT KILL no function.
/// </remarks>
internal sealed class PresentScript
{
    private const int None = 0;
    private const int Runs = 1;
    private const int HasWritten = 2;
    private const int Killed = 3;
    private const int IsAFunction = 4;

    private int _state;
    private bool _isOver;

    /// <summary>Whether it is to end.</summary>
    public bool IsKilled => StepOf(Volatile.Read(ref _state)) == Killed || IsOver;

    /// <summary>Whether all scripts are to end: the server stops.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>Whether one runs.</summary>
    public bool IsThere => Volatile.Read(ref _state) != None;

    /// <summary>Whether a function runs.</summary>
    public bool IsFunction => (Volatile.Read(ref _state) & IsAFunction) != 0;

    /// <summary>The function that runs.</summary>
    public RunningFunction Function { get; } = new();

    /// <summary>A script begins.</summary>
    public void Begin(bool isFunction = false) => Volatile.Write(ref _state, isFunction ? Runs | IsAFunction : Runs);

    /// <summary>It is about to write.</summary>
    /// <returns>False if it was killed: it must not.</returns>
    public bool TryNoteWrite()
    {
        int state = Volatile.Read(ref _state);
        if (IsOver || StepOf(state) == Killed)
            return false;
        int written = HasWritten | (state & IsAFunction);
        return state == written || Interlocked.CompareExchange(ref _state, written, state) == state;
    }

    /// <summary>It has ended.</summary>
    public void End() => Volatile.Write(ref _state, None);

    /// <summary>Ends it, and each that begins later, whether it has written or not: the server stops.</summary>
    public void EndAll() => Volatile.Write(ref _isOver, true);

    /// <summary>SCRIPT KILL, or FUNCTION KILL.</summary>
    public ScriptKill TryKill(bool isFunction)
    {
        while (true)
        {
            int state = Volatile.Read(ref _state);
            if (state == None)
                return ScriptKill.NoneRuns;
            if (StepOf(state) == HasWritten)
                return ScriptKill.HasWritten;
            if ((state & IsAFunction) != 0 != isFunction)
                return ScriptKill.IsOfOtherKind;
            int killed = Killed | (state & IsAFunction);
            if (state == killed || Interlocked.CompareExchange(ref _state, killed, state) == state)
                return ScriptKill.Done;
        }
    }

    private static int StepOf(int state) => state & ~IsAFunction;
}
