namespace Cache.Server.Scripts;

/// <summary>A library of functions; one that is loaded anew is another one, also if its code is the same.</summary>
internal sealed class FunctionLibrary(LibraryHeader header, byte[] code)
{
    public string Name => header.Name;

    /// <summary>All of its text, with the first line.</summary>
    public byte[] Code => code;

    /// <summary>What is executed: all behind the first line, with its end, so that lines have their numbers.</summary>
    public ReadOnlySpan<byte> Body => code.AsSpan(header.Length);

    /// <summary>What it has registered.</summary>
    public IReadOnlyList<FunctionInfo> Functions { get; private set; } = [];

    /// <summary>Those that need not be alone, by their places; the others are null.</summary>
    public IReadOnlyList<SimpleFunction?> Simple { get; private set; } = [];

    /// <summary>Sets what it has registered, and what is to be done to run it; before others see the library.</summary>
    public void Register(IReadOnlyList<FunctionInfo> functions, Func<ScriptOutline, IScriptPlan?> plan)
    {
        Functions = [.. functions.Select(static one => one with { Text = null })];
        Simple = [.. functions.Select((one, index) => one.Text is { } text && plan(text.Outline) is { } found
            ? new SimpleFunction(Functions[index], text, found)
            : null)];
    }
}
