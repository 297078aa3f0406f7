namespace Cache.Durability.Staging;

/// <summary>A value that is too long for a chunk: it stays in its memory until it was written, in parts.</summary>
/// <param name="lsn">The place of its record, or of the record's group.</param>
internal abstract class LongValue(ulong lsn) : IDisposable
{
    public ulong Lsn { get; } = lsn;

    public abstract int Length { get; }

    /// <summary>Copies a part of it.</summary>
    public abstract void CopyTo(int offset, Span<byte> part);

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected abstract void Dispose(bool disposing);
}
