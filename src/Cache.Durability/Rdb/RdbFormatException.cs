namespace Cache.Durability.Rdb;

/// <summary>A file is not what it says to be, or is damaged: where, and why.</summary>
internal sealed class RdbFormatException : Exception
{
    public RdbFormatException(long offset, string reason)
        : base($"At byte {offset}: {reason}")
    {
        Offset = offset;
        Reason = reason;
    }

    /// <summary>Where what cannot be read begins, or where the file ends too early.</summary>
    public long Offset { get; }

    public string Reason { get; }
}
