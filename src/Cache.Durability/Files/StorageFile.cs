namespace Cache.Durability.Files;

/// <summary>An open file of a <see cref="StorageDirectory"/>.</summary>
/// <remarks>
/// Every error is an <see cref="IOException"/>. After a failed <see cref="Sync"/> nobody knows which bytes are on the
/// disk: the system forgets what it could not write, and the next call succeeds. Such a file is written no more.
/// One thread writes, another may sync.
/// </remarks>
internal abstract class StorageFile : IDisposable
{
    public abstract string Name { get; }

    public abstract long Length { get; }

    /// <summary>Writes all of the bytes, or throws after any part of them.</summary>
    public abstract void Write(long offset, ReadOnlySpan<byte> bytes);

    /// <summary>Writes parts one behind the other, in one call of the system.</summary>
    public abstract void Write(long offset, IReadOnlyList<ReadOnlyMemory<byte>> parts);

    /// <summary>Reads as many bytes as there are, at most as many as fit.</summary>
    /// <returns>Fewer than fit only at the end of the file.</returns>
    public abstract int Read(long offset, Span<byte> bytes);

    /// <summary>Waits until everything that was written before is on the disk.</summary>
    public abstract void Sync();

    /// <summary>Cuts the file, or adds zeros to it.</summary>
    public abstract void SetLength(long length);

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected abstract void Dispose(bool disposing);
}
