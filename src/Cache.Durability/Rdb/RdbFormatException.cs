namespace Cache.Durability.Rdb;

/// <summary>A file is damaged or not an RDB file; with the offset and the reason.</summary>
internal sealed class RdbFormatException : Exception
{
    public RdbFormatException(long offset, string reason)
        : base($"At byte {offset}: {reason}")
    {
        Offset = offset;
        Reason = reason;
    }

    /// <summary>The offset of the unreadable part, or of the early end of the file.</summary>
    public long Offset { get; }

    public string Reason { get; }
}
