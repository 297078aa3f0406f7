using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>An interpreter for simple scripts, which one thread uses at a time.</summary>
internal sealed class SimpleLane(IScriptInterpreter interpreter)
{
    // Of each kind. Together with their texts a few megabytes. Those that are run again are compiled again.
    private const int KeptMax = 500;

    private readonly HashSet<ScriptDigest> _kept = [];
    private readonly HashSet<SimpleFunction> _functions = []; // Also of libraries that are gone.

    /// <summary>Held by who uses the lane.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The memory of the interpreter; any thread may ask.</summary>
    public long MemoryBytes => interpreter.MemoryBytes;

    /// <summary>Runs a script, or a function, and writes its reply.</summary>
    public void Run(SimpleCode code, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        if (code is SimpleFunction function)
            Run(function, request, keyCount, host, reply);
        else
            Run((SimpleScript)code, request, keyCount, host, reply);
    }

    /// <summary>Ends the interpreter; nobody uses the lane then.</summary>
    public void End() => interpreter.Dispose();

    private void Run(
        SimpleScript script, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        if (!_kept.Contains(script.Digest) && Keep(script) is { } error)
            reply.Error(error);
        else
            interpreter.Run(script.Digest, request, keyCount, host, reply);
    }

    private void Run(
        SimpleFunction function, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        if (!_functions.Contains(function) && Keep(function) is { } error)
            reply.Error(error);
        else
            interpreter.Run(function, request, keyCount, host, reply);
    }

    private byte[]? Keep(SimpleScript script)
    {
        if (_kept.Count == KeptMax)
        {
            foreach (var digest in _kept)
                interpreter.Forget(digest);
            _kept.Clear();
        }

        if (interpreter.Compile(script.Digest, script.Text, out _) is { } error)
            return error;
        _kept.Add(script.Digest);
        return null;
    }

    private byte[]? Keep(SimpleFunction function)
    {
        if (_functions.Count == KeptMax)
        {
            foreach (var kept in _functions)
                interpreter.Forget(kept);
            _functions.Clear();
        }

        if (interpreter.Compile(function) is { } error)
            return error;
        _functions.Add(function);
        return null;
    }
}
