using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Files;

/// <summary>A file of the file system.</summary>
/// <remarks>A permission that was removed after opening is an IOException like other errors.</remarks>
internal sealed class SystemFile(string path, SafeFileHandle handle) : StorageFile
{
    public override string Name { get; } = Path.GetFileName(path);

    public override long Length => RandomAccess.GetLength(handle);

    public override void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        try
        {
            RandomAccess.Write(handle, bytes, offset);
        }
        catch (UnauthorizedAccessException failure)
        {
            throw Refused(failure);
        }
    }

    public override void Write(long offset, IReadOnlyList<ReadOnlyMemory<byte>> parts)
    {
        try
        {
            RandomAccess.Write(handle, parts, offset);
        }
        catch (UnauthorizedAccessException failure)
        {
            throw Refused(failure);
        }
    }

    public override int Read(long offset, Span<byte> bytes)
    {
        int length = 0;
        try
        {
            while (length < bytes.Length)
            {
                int read = RandomAccess.Read(handle, bytes[length..], offset + length);
                if (read == 0)
                    break;
                length += read;
            }

            return length;
        }
        catch (UnauthorizedAccessException failure)
        {
            throw Refused(failure);
        }
    }

    public override void Sync()
    {
        if (OperatingSystem.IsLinux())
            PosixCalls.SyncData(handle, path);
        else
            RandomAccess.FlushToDisk(handle);
    }

    public override void SetLength(long length)
    {
        try
        {
            RandomAccess.SetLength(handle, length);
        }
        catch (UnauthorizedAccessException failure)
        {
            throw Refused(failure);
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            handle.Dispose();
    }

    private IOException Refused(UnauthorizedAccessException failure) => new($"{path}: {failure.Message}", failure);
}
