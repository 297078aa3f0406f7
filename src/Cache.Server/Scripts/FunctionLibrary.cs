namespace Cache.Server.Scripts;

/// <summary>A library of functions; one that is loaded anew is another one, also if its code is the same.</summary>
internal sealed class FunctionLibrary(LibraryHeader header, byte[] code)
{
    public string Name => header.Name;

    /// <summary>All of its text, with the first line.</summary>
    public byte[] Code => code;

    /// <summary>What is executed: all behind the first line, with its end, so that lines have their numbers.</summary>
    public ReadOnlySpan<byte> Body => code.AsSpan(header.Length);

    /// <summary>What it has registered; set before the library is seen by others.</summary>
    public IReadOnlyList<FunctionInfo> Functions { get; set; } = [];
}
