using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>Runs the texts of scripts; a package brings it. Used by one thread at a time.</summary>
internal interface IScriptInterpreter : IDisposable
{
    /// <summary>The memory that it holds; any thread may ask.</summary>
    long MemoryBytes { get; }

    /// <summary>Translates a script and keeps it under its digest.</summary>
    /// <param name="digest">Its digest.</param>
    /// <param name="text">Its text.</param>
    /// <param name="outline">What it may do, if it is a simple one; otherwise null.</param>
    /// <returns>The error reply; null: it is kept.</returns>
    byte[]? Compile(ScriptDigest digest, ReadOnlySpan<byte> text, out ScriptOutline? outline);

    /// <summary>Forgets a script.</summary>
    void Forget(ScriptDigest digest);

    /// <summary>Runs a script that is kept, and writes its reply.</summary>
    /// <param name="digest">Its digest.</param>
    /// <param name="request">The request that runs it: name, script, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of keys; it was checked.</param>
    /// <param name="host">Executes its commands.</param>
    /// <param name="reply">Gets exactly one reply.</param>
    void Run(
        ScriptDigest digest, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply);
}
