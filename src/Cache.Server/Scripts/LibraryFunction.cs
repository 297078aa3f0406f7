namespace Cache.Server.Scripts;

/// <summary>A function by its library and its place there.</summary>
internal readonly record struct LibraryFunction(FunctionLibrary Library, int Index)
{
    public FunctionInfo Info => Library.Functions[Index];

    /// <summary>How it runs without being alone; null: it has to be.</summary>
    public SimpleFunction? Simple => Library.Simple[Index];
}
