using System.Collections.Concurrent;
using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>The simple scripts of a server, and the interpreters that run them. Thread-safe.</summary>
/// <remarks>
/// Each loop finds a free interpreter nearly always: there are as many as processors, up to a bound, and each is
/// created when it is first needed. Who waits for one waits for a simple script, so for microseconds.
/// </remarks>
internal sealed class SimpleScripts(Func<IScriptInterpreter> create)
{
    // Each takes about a megabyte before it has run anything. As many loops seldom run scripts at once.
    private const int LanesMax = 8;

    private readonly ConcurrentDictionary<ScriptDigest, SimpleScript> _known = [];
    private readonly SimpleLane?[] _lanes = new SimpleLane?[Math.Min(Environment.ProcessorCount, LanesMax)];
    private readonly Lock _creation = new();
    private bool _isOver;

    /// <summary>The memory of the interpreters.</summary>
    public long InterpreterBytes
    {
        get
        {
            long sum = 0;
            foreach (ref var lane in _lanes.AsSpan())
                sum += Volatile.Read(ref lane)?.MemoryBytes ?? 0;
            return sum;
        }
    }

    /// <summary>A script that is known.</summary>
    public SimpleScript? Find(ScriptDigest digest) => _known.GetValueOrDefault(digest);

    /// <summary>Makes a script known.</summary>
    public void Add(SimpleScript script) => _known[script.Digest] = script;

    /// <summary>Forgets a script; a lane may still have compiled it.</summary>
    public void Remove(ScriptDigest digest) => _known.TryRemove(digest, out _);

    /// <summary>Forgets all scripts.</summary>
    public void Clear() => _known.Clear();

    /// <summary>Runs a script, or a function, and writes its reply.</summary>
    /// <exception cref="ObjectDisposedException">The server has stopped.</exception>
    public void Run(
        SimpleCode code, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        var lane = Enter();
        try
        {
            ObjectDisposedException.ThrowIf(_isOver, this); // A command that has outlived the stop.
            lane.Run(code, request, keyCount, host, reply);
        }
        finally
        {
            lane.Gate.Exit();
        }
    }

    /// <summary>Ends the interpreters.</summary>
    public void End()
    {
        lock (_creation)
        {
            _isOver = true;
            foreach (var lane in _lanes)
            {
                if (lane is null)
                    continue;
                lock (lane.Gate)
                    lane.End();
            }
        }
    }

    // The thread's own first, if nobody else has it.
    private SimpleLane Enter()
    {
        int first = (int)((uint)Environment.CurrentManagedThreadId % (uint)_lanes.Length);
        for (int i = 0; i < _lanes.Length; i++)
        {
            var lane = LaneAt((first + i) % _lanes.Length);
            if (lane.Gate.TryEnter())
                return lane;
        }

        var own = LaneAt(first);
        own.Gate.Enter();
        return own;
    }

    private SimpleLane LaneAt(int index)
    {
        if (Volatile.Read(ref _lanes[index]) is { } lane)
            return lane;
        lock (_creation)
        {
            ObjectDisposedException.ThrowIf(_isOver, this);
            lane = _lanes[index] ?? new SimpleLane(create());
            Volatile.Write(ref _lanes[index], lane);
            return lane;
        }
    }
}
