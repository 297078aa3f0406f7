namespace Cache.Server.Scripts;

/// <summary>The scripts of a server: which are known, and which one runs. Thread-safe.</summary>
/// <remarks>
/// The interpreter is used under the gate alone. Whoever runs a script holds it all the time, and either is alone among
/// the clients then, so that nobody waits for it whose command is to be answered meanwhile; or the script is a simple
/// one, which ends after microseconds, and has locked its keys before.
/// </remarks>
/// <param name="interpreter">Runs them; it is disposed of with this.</param>
/// <param name="plan">Makes the plan of a simple script; null: it has none.</param>
internal sealed class ServerScripts(
    IScriptInterpreter interpreter, Func<ScriptOutline, IScriptPlan?> plan) : IDisposable
{
    /// <summary>The most scripts that EVAL alone has brought; the oldest is forgotten, as in Redis since 7.4.</summary>
    public const int PassingMax = 500;

    /// <summary>The most bytes of all texts: some thousands of long scripts.</summary>
    public const long BytesMax = 64 << 20;

    // What the table and the interpreter hold for a script besides its text, about.
    private const int ScriptOverhead = 512;

    // A server that stops waits no longer for a script that runs.
    private static readonly TimeSpan _endWait = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<ScriptDigest, KnownScript> _known = [];
    private readonly LinkedList<ScriptDigest> _passing = []; // The oldest first.
    private int _count;
    private long _bytes;
    private bool _isOver;

    /// <summary>The script that runs.</summary>
    public PresentScript Present { get; } = new();

    /// <summary>The number of known scripts; a recent value.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The memory of their texts, about.</summary>
    public long Bytes => Volatile.Read(ref _bytes) + (long)Count * ScriptOverhead;

    /// <summary>The memory of the interpreter.</summary>
    public long InterpreterBytes => interpreter.MemoryBytes;

    /// <summary>Whether a script is known.</summary>
    public bool Knows(ScriptDigest digest)
    {
        lock (_gate)
            return _known.ContainsKey(digest);
    }

    /// <summary>The plan of a script; null: it is not known, or not a simple one.</summary>
    public IScriptPlan? FindPlan(ScriptDigest digest)
    {
        lock (_gate)
            return _known.GetValueOrDefault(digest).Plan;
    }

    /// <summary>Makes a script known.</summary>
    /// <param name="digest">Its digest.</param>
    /// <param name="text">Its text.</param>
    /// <param name="isPassing">Whether it may be forgotten for others: EVAL brought it.</param>
    /// <returns>The error reply; null: it is known.</returns>
    public byte[]? TryAdd(ScriptDigest digest, ReadOnlySpan<byte> text, bool isPassing)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isOver, this);
            if (_known.TryGetValue(digest, out var known))
            {
                if (!isPassing && known.Place is { } place)
                {
                    _passing.Remove(place);
                    _known[digest] = known with { Place = null };
                }

                return null;
            }

            if (!TryMakeRoom(text.Length))
                return "ERR the scripts have too many bytes: SCRIPT FLUSH forgets them"u8.ToArray();
            if (interpreter.Compile(digest, text, out var outline) is { } error)
                return error;
            _known.Add(digest, new KnownScript(
                text.Length,
                outline is null ? null : plan(outline),
                isPassing ? _passing.AddLast(digest) : null));
            Volatile.Write(ref _bytes, _bytes + text.Length);
            Volatile.Write(ref _count, _known.Count);
            return null;
        }
    }

    /// <summary>Forgets all scripts.</summary>
    public void Flush()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isOver, this);
            foreach (var digest in _known.Keys)
                interpreter.Forget(digest);
            _known.Clear();
            _passing.Clear();
            Volatile.Write(ref _bytes, 0);
            Volatile.Write(ref _count, 0);
        }
    }

    /// <summary>Lets a caller use the interpreter, until it disposes of what it gets.</summary>
    public Lock.Scope Enter(out IScriptInterpreter present)
    {
        var scope = _gate.EnterScope();
        if (_isOver)
        {
            scope.Dispose();
            throw new ObjectDisposedException(nameof(ServerScripts)); // A command that has outlived the stop.
        }

        present = interpreter;
        return scope;
    }

    /// <summary>Ends the interpreter, unless a script runs that does not end.</summary>
    public void Dispose()
    {
        Present.EndAll();
        if (!_gate.TryEnter(_endWait))
            return; // Its memory is used: it stays until the process ends.
        try
        {
            if (!_isOver)
                interpreter.Dispose();
            _isOver = true;
        }
        finally
        {
            _gate.Exit();
        }
    }

    private bool TryMakeRoom(int length)
    {
        while (_passing.First is { } oldest && (_passing.Count >= PassingMax || _bytes + length > BytesMax))
        {
            interpreter.Forget(oldest.Value);
            _known.Remove(oldest.Value, out var forgotten);
            _passing.RemoveFirst();
            Volatile.Write(ref _bytes, _bytes - forgotten.Length);
        }

        Volatile.Write(ref _count, _known.Count);
        return _bytes + length <= BytesMax;
    }

    /// <param name="Length">The length of its text.</param>
    /// <param name="Plan">Null: it is not a simple one.</param>
    /// <param name="Place">Among those that EVAL brought; null: SCRIPT LOAD brought it.</param>
    private readonly record struct KnownScript(
        int Length, IScriptPlan? Plan, LinkedListNode<ScriptDigest>? Place);
}
