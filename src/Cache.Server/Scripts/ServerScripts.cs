using System.Collections.Concurrent;

namespace Cache.Server.Scripts;

/// <summary>The scripts of a server: which are known, and which one runs. Thread-safe.</summary>
/// <remarks>
/// The interpreter is used under the gate alone. Whoever runs a script with it holds the gate all the time, and is
/// alone among the clients then; so nobody waits for it whose command is to be answered meanwhile. Simple scripts have
/// others (<see cref="Simple"/>).
/// </remarks>
internal sealed class ServerScripts : IDisposable
{
    /// <summary>The most scripts that EVAL alone has brought; the oldest is forgotten, as in Redis since 7.4.</summary>
    public const int PassingMax = 500;

    /// <summary>The most bytes of all texts: some thousands of long scripts.</summary>
    public const long BytesMax = 64 << 20;

    // What the table and the interpreter hold for a script besides its text, about.
    private const int ScriptOverhead = 512;

    // A server that stops waits no longer for a script that runs.
    private static readonly TimeSpan _endWait = TimeSpan.FromSeconds(1);

    private readonly IScriptInterpreter _interpreter;
    private readonly Func<ScriptOutline, IScriptPlan?> _plan;
    private readonly Lock _gate = new();
    private readonly Dictionary<ScriptDigest, KnownScript> _known = [];
    private readonly LinkedList<ScriptDigest> _passing = []; // The oldest first.

    // Of those that say something of themselves. Read without the gate, which a script holds that takes long.
    private readonly ConcurrentDictionary<ScriptDigest, ScriptFlags> _flags = [];
    private bool _areFlagged; // Whether one ever said something.
    private int _count;
    private long _bytes;
    private bool _isOver;

    /// <param name="create">Creates interpreters.</param>
    /// <param name="plan">Makes the plan of a simple script; null: it has to be alone.</param>
    public ServerScripts(Func<IScriptInterpreter> create, Func<ScriptOutline, IScriptPlan?> plan)
    {
        _interpreter = create();
        _plan = plan;
        Simple = new SimpleScripts(create);
    }

    /// <summary>Those that need not be alone.</summary>
    public SimpleScripts Simple { get; }

    /// <summary>Which of the others took long.</summary>
    public ScriptDurations Durations { get; } = new();

    /// <summary>The script that runs alone.</summary>
    public PresentScript Present { get; } = new();

    /// <summary>The number of known scripts; a recent value.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Makes the plan of a simple script, or of a simple function; null: it has to be alone.</summary>
    public Func<ScriptOutline, IScriptPlan?> Plan => _plan;

    /// <summary>The memory of their texts, about.</summary>
    public long Bytes => Volatile.Read(ref _bytes) + (long)Count * ScriptOverhead;

    /// <summary>The memory of the interpreters.</summary>
    public long InterpreterBytes => _interpreter.MemoryBytes + Simple.InterpreterBytes;

    /// <summary>Whether a script is known.</summary>
    public bool Knows(ScriptDigest digest)
    {
        lock (_gate)
            return _known.ContainsKey(digest);
    }

    /// <summary>What a script says of itself; null: nothing, or it is wrong.</summary>
    public ScriptFlags? ReadFlags(ReadOnlySpan<byte> text) => _interpreter.ReadFlags(text);

    /// <summary>The same of one that is known.</summary>
    public ScriptFlags? FindFlags(ReadOnlySpan<byte> digest) =>
        Volatile.Read(ref _areFlagged) && ScriptDigest.TryParse(digest, out var parsed)
            && _flags.TryGetValue(parsed, out var flags)
            ? flags
            : null;

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
            if (_interpreter.Compile(digest, text, out var outline) is { } error)
                return error;
            _known.Add(digest, new KnownScript(text.Length, isPassing ? _passing.AddLast(digest) : null));
            if (_interpreter.ReadFlags(text) is { } flags)
            {
                _flags[digest] = flags;
                Volatile.Write(ref _areFlagged, true);
            }

            if (outline is not null && _plan(outline) is { } plan)
                Simple.Add(new SimpleScript(digest, text.ToArray(), plan));
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
                _interpreter.Forget(digest);
            Simple.Clear();
            _known.Clear();
            _flags.Clear();
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

        present = _interpreter;
        return scope;
    }

    /// <summary>Ends the interpreter, unless a script runs that does not end.</summary>
    public void Dispose()
    {
        Present.EndAll();
        Simple.End();
        if (!_gate.TryEnter(_endWait))
            return; // Its memory is used: it stays until the process ends.
        try
        {
            if (!_isOver)
                _interpreter.Dispose();
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
            _interpreter.Forget(oldest.Value);
            Simple.Remove(oldest.Value);
            _flags.TryRemove(oldest.Value, out _);
            _known.Remove(oldest.Value, out var forgotten);
            _passing.RemoveFirst();
            Volatile.Write(ref _bytes, _bytes - forgotten.Length);
        }

        Volatile.Write(ref _count, _known.Count);
        return _bytes + length <= BytesMax;
    }

    /// <param name="Length">The length of its text.</param>
    /// <param name="Place">Among those that EVAL brought; null: SCRIPT LOAD brought it.</param>
    private readonly record struct KnownScript(int Length, LinkedListNode<ScriptDigest>? Place);
}
