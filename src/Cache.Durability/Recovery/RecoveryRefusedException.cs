namespace Cache.Durability.Recovery;

/// <summary>The files are damaged or incomplete: a store is not loaded from them unless the options allow it.</summary>
internal sealed class RecoveryRefusedException(string file, long offset, string problem)
    : IOException(offset < 0 ? $"{file} {problem}." : $"{file} {problem}, at byte {offset}.")
{
    public string File { get; } = file;

    /// <summary>The offset in the file; −1 for the whole file.</summary>
    public long Offset { get; } = offset;
}
