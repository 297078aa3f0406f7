using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Files;

/// <summary>A file of the system.</summary>
internal sealed class SystemFile(string path, SafeFileHandle handle) : StorageFile
{
    public override string Name { get; } = Path.GetFileName(path);

    public override long Length => RandomAccess.GetLength(handle);

    public override void Write(long offset, ReadOnlySpan<byte> bytes) => RandomAccess.Write(handle, bytes, offset);

    public override void Write(long offset, IReadOnlyList<ReadOnlyMemory<byte>> parts) =>
        RandomAccess.Write(handle, parts, offset);

    public override int Read(long offset, Span<byte> bytes)
    {
        int length = 0;
        while (length < bytes.Length)
        {
            int read = RandomAccess.Read(handle, bytes[length..], offset + length);
            if (read == 0)
                break;
            length += read;
        }

        return length;
    }

    public override void Sync()
    {
        if (OperatingSystem.IsLinux())
            PosixCalls.SyncData(handle, path);
        else
            RandomAccess.FlushToDisk(handle);
    }

    public override void SetLength(long length) => RandomAccess.SetLength(handle, length);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            handle.Dispose();
    }
}
