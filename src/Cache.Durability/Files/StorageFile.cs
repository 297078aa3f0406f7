namespace Cache.Durability.Files;

/// <summary>An open file of a <see cref="StorageDirectory"/>.</summary>
/// <remarks>
/// Every error is an <see cref="IOException"/>. After a failed <see cref="Sync"/> it is unknown which bytes are on the
/// disk: the system drops the bytes that it could not write, and the next call succeeds. Such a file is never written
/// again. One thread writes, another may sync.
/// </remarks>
internal abstract class StorageFile : IDisposable
{
    public abstract string Name { get; }

    public abstract long Length { get; }

    /// <summary>Writes all of the bytes, or throws after any part of them.</summary>
    public abstract void Write(long offset, ReadOnlySpan<byte> bytes);

    /// <summary>Writes parts one after the other, in one system call.</summary>
    public abstract void Write(long offset, IReadOnlyList<ReadOnlyMemory<byte>> parts);

    /// <summary>Reads until the buffer is full or the file ends.</summary>
    /// <returns>The number of bytes; fewer than fit only at the end of the file.</returns>
    public abstract int Read(long offset, Span<byte> bytes);

    /// <summary>Waits until all bytes written before are on the disk.</summary>
    public abstract void Sync();

    /// <summary>Truncates the file, or adds zeros to it.</summary>
    public abstract void SetLength(long length);

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected abstract void Dispose(bool disposing);
}
