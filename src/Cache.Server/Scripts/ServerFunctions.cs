using System.Text;

namespace Cache.Server.Scripts;

/// <summary>The functions of a server: libraries are loaded, replaced and removed as wholes. Thread-safe.</summary>
/// <remarks>
/// The table is replaced under the gate of the scripts, under which functions run too: a call sees the libraries of one
/// moment. A simple one is taken from the table once, and what reads the table alone needs no gate either.
/// </remarks>
internal sealed class ServerFunctions(ServerScripts scripts)
{
    /// <summary>The most libraries: a server has a handful, and each is text and code of the interpreter.</summary>
    public const int LibrariesMax = 1000;

    /// <summary>The most functions of all libraries.</summary>
    public const int FunctionsMax = 4000;

    /// <summary>
    /// The most bytes of all texts. Their code is about ten times that in the interpreter, whose memory is bounded; and
    /// each change writes all of them to the disk.
    /// </summary>
    public const long CodeBytesMax = 8 << 20;

    // What the table and the interpreter hold for a library, and for a function, besides the text; about.
    private const int LibraryOverhead = 512;
    private const int FunctionOverhead = 256;

    private FunctionTable _table = FunctionTable.Empty;

    /// <summary>The libraries now.</summary>
    public FunctionTable Table => Volatile.Read(ref _table);

    /// <summary>The memory of their texts, about.</summary>
    public long Bytes
    {
        get
        {
            var table = Table;
            return table.CodeBytes + table.SimpleBytes + table.Libraries.Count * (long)LibraryOverhead
                + table.FunctionCount * (long)FunctionOverhead;
        }
    }

    /// <summary>Called before libraries change, so that they outlive the process.</summary>
    /// <remarks>
    /// It throws an <see cref="IOException"/> if they would not: then nothing is changed. It returns false if the
    /// machine may still lose the change, which a start would find otherwise: then it is made, and the client told.
    /// </remarks>
    public Func<FunctionTable, bool>? Saving { get; set; }

    /// <summary>Loads a library.</summary>
    /// <param name="code">Its text.</param>
    /// <param name="replaces">Whether one of the same name is replaced.</param>
    /// <param name="log">Gets lines for the log.</param>
    /// <param name="name">Its name, if it was loaded.</param>
    /// <returns>The error reply; null: it is loaded.</returns>
    public byte[]? TryLoad(ReadOnlySpan<byte> code, bool replaces, Action<int, string>? log, out string name)
    {
        using var gate = scripts.Enter(out var interpreter);
        try
        {
            return TryAdd(code, replaces, log, interpreter, Table, out var next, out name) ?? TryPublish(next, Saving);
        }
        finally
        {
            interpreter.KeepLibraries(Table);
        }
    }

    /// <summary>Removes a library.</summary>
    /// <returns>The error reply; null: it is gone.</returns>
    public byte[]? TryDelete(string name)
    {
        using var gate = scripts.Enter(out var interpreter);
        if (!Table.Has(name))
            return "ERR Library not found"u8.ToArray();
        _ = FunctionTable.TryMake(Table.Libraries.Where(library => library.Name != name), out var next);
        byte[]? error = TryPublish(next, Saving);
        interpreter.KeepLibraries(Table);
        return error;
    }

    /// <summary>Removes all libraries.</summary>
    /// <returns>The error reply; null: they are gone.</returns>
    public byte[]? TryFlush()
    {
        using var gate = scripts.Enter(out var interpreter);
        byte[]? error = TryPublish(FunctionTable.Empty, Saving);
        interpreter.KeepLibraries(Table);
        return error;
    }

    /// <summary>Loads several libraries, or none.</summary>
    /// <param name="codes">Their texts; each is loaded before the next one is read, as in Redis.</param>
    /// <param name="findProblem">Gives what was wrong behind the last text; null: nothing.</param>
    /// <param name="policy">What becomes of those that are there.</param>
    /// <param name="log">Gets lines for the log.</param>
    /// <returns>The error reply; null: all are loaded.</returns>
    public byte[]? TryRestore(
        IEnumerable<byte[]> codes, Func<string?> findProblem, RestorePolicy policy, Action<int, string>? log) =>
        TryRestore(codes, findProblem, policy, log, Saving);

    /// <summary>Loads the libraries that were kept, at a start.</summary>
    /// <param name="codes">Their texts.</param>
    /// <param name="log">Gets lines for the log.</param>
    /// <returns>The error reply; null: all are loaded.</returns>
    public byte[]? TryLoadKept(IEnumerable<byte[]> codes, Action<int, string>? log) =>
        TryRestore(codes, static () => null, RestorePolicy.Flush, log, saving: null);

    private byte[]? TryRestore(
        IEnumerable<byte[]> codes, Func<string?> findProblem, RestorePolicy policy, Action<int, string>? log,
        Func<FunctionTable, bool>? saving)
    {
        using var gate = scripts.Enter(out var interpreter);
        try
        {
            var restored = FunctionTable.Empty;
            foreach (byte[] code in codes)
            {
                if (TryAdd(code, replaces: false, log, interpreter, restored, out restored, out _) is { } error)
                    return error;
            }

            if (findProblem() is { } problem)
                return Error(problem);
            return TryJoin(restored, policy, out var next) ?? TryPublish(next, saving);
        }
        finally
        {
            interpreter.KeepLibraries(Table);
        }
    }

    private byte[]? TryAdd(
        ReadOnlySpan<byte> code, bool replaces, Action<int, string>? log, IScriptInterpreter interpreter,
        FunctionTable present, out FunctionTable next, out string name)
    {
        next = present;
        name = "";
        if (LibraryHeader.Read(code, out var header) is { } problem)
            return Error(problem);
        if (!replaces && present.Has(header.Name))
            return Error($"Library '{header.Name}' already exists");
        if (code.Length > CodeBytesMax)
            return TooMuch();
        var library = new FunctionLibrary(header, code.ToArray());
        var load = new LibraryLoad(() => scripts.Present.IsOver, log);
        if (interpreter.LoadLibrary(library, load, out var functions) is { } error)
            return error;
        library.Register(functions, scripts.Plan);
        if (functions.Count == 0)
            return Error("No functions registered");
        name = header.Name;
        return TryMake([.. present.Libraries.Where(other => other.Name != header.Name), library], out next);
    }

    private byte[]? TryJoin(FunctionTable restored, RestorePolicy policy, out FunctionTable next)
    {
        next = restored;
        if (policy == RestorePolicy.Flush)
            return null;
        var twice = policy == RestorePolicy.Append
            ? restored.Libraries.FirstOrDefault(library => Table.Has(library.Name))
            : null;
        if (twice is not null)
            return Error($"Library {twice.Name} already exists");
        var kept = Table.Libraries.Where(library => !restored.Has(library.Name));
        return TryMake([.. kept, .. restored.Libraries], out next);
    }

    private static byte[]? TryMake(IEnumerable<FunctionLibrary> libraries, out FunctionTable table)
    {
        if (FunctionTable.TryMake(libraries, out table) is { } twice)
            return Error($"Function {twice} already exists");
        bool isTooMuch = table.Libraries.Count > LibrariesMax
            || table.FunctionCount > FunctionsMax || table.CodeBytes > CodeBytesMax;
        return isTooMuch ? TooMuch() : null;
    }

    private byte[]? TryPublish(FunctionTable next, Func<FunctionTable, bool>? saving)
    {
        bool isSafe;
        try
        {
            isSafe = saving?.Invoke(next) ?? true;
        }
        catch (IOException)
        {
            return Error("the functions cannot be written to the disk: nothing was changed");
        }

        Volatile.Write(ref _table, next);
        return isSafe
            ? null
            : Error("the functions are changed, but the folder on the disk cannot be synced: if the machine fails, "
                + "they may be those from before");
    }

    private static byte[] TooMuch() =>
        Error("there are too many functions, or they are too long: FUNCTION DELETE removes a library");

    private static byte[] Error(string text) => Encoding.Latin1.GetBytes($"ERR {text}");
}
