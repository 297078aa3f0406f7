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

    /// <summary>What a script says of itself; null: nothing, or it is wrong. Any thread may ask.</summary>
    ScriptFlags? ReadFlags(ReadOnlySpan<byte> text);

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

    /// <summary>Executes the text of a library, which registers its functions, and keeps them.</summary>
    /// <param name="library">The library.</param>
    /// <param name="host">Ends it if it takes too long.</param>
    /// <param name="functions">What it has registered.</param>
    /// <returns>The error reply; null: it is kept.</returns>
    byte[]? LoadLibrary(FunctionLibrary library, IScriptHost host, out IReadOnlyList<FunctionInfo> functions);

    /// <summary>Translates a simple function and keeps it, without its library.</summary>
    /// <returns>The error reply; null: it is kept.</returns>
    byte[]? Compile(SimpleFunction function);

    /// <summary>Forgets a simple function.</summary>
    void Forget(SimpleFunction function);

    /// <summary>Runs a simple function that is kept, and writes its reply.</summary>
    /// <param name="function">The function.</param>
    /// <param name="request">The request that runs it: name, function, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of keys; it was checked.</param>
    /// <param name="host">Executes its commands.</param>
    /// <param name="reply">Gets exactly one reply.</param>
    void Run(
        SimpleFunction function, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply);

    /// <summary>Forgets all libraries but those of a table.</summary>
    void KeepLibraries(FunctionTable table);

    /// <summary>Runs a function, and writes its reply; its library is loaded first if this has not met it.</summary>
    /// <param name="function">The function.</param>
    /// <param name="request">The request that runs it: name, function, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of keys; it was checked.</param>
    /// <param name="host">Executes its commands.</param>
    /// <param name="reply">Gets exactly one reply.</param>
    void Run(
        LibraryFunction function, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply);
}
