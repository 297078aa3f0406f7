namespace Cache.Durability.Recovery;

/// <summary>The files do not tell everything that they once held: a store is not filled from them unasked.</summary>
internal sealed class RecoveryRefusedException(string file, long offset, string problem)
    : IOException(offset < 0 ? $"{file} {problem}." : $"{file} {problem}, at byte {offset}.")
{
    public string File { get; } = file;

    /// <summary>Where in the file; −1 if it is the whole file.</summary>
    public long Offset { get; } = offset;
}
