using Cache.Durability.Files;

namespace Cache.Durability.Tests.Files;

/// <summary>An open file of a <see cref="FaultyDirectory"/>.</summary>
internal sealed class FaultyFile(FaultyDirectory directory, FaultyContent content, string name, bool writable)
    : StorageFile
{
    private bool _isClosed;

    public override string Name { get; } = name;

    public override long Length => content.Bytes.Length;

    public override void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        if (!writable)
            throw new IOException($"{Name} was opened for reading.");
        int room = directory.Before(Operation.Write, bytes.Length, offset + bytes.Length - content.Bytes.Length);
        content.Write(offset, bytes[..room]);
        if (room < bytes.Length)
            throw new IOException($"{Name}: {room} of {bytes.Length} bytes were written.");
    }

    public override void Write(long offset, IReadOnlyList<ReadOnlyMemory<byte>> parts)
    {
        byte[] all = new byte[parts.Sum(static part => part.Length)];
        int length = 0;
        foreach (var part in parts)
        {
            part.Span.CopyTo(all.AsSpan(length));
            length += part.Length;
        }

        Write(offset, all);
    }

    public override int Read(long offset, Span<byte> bytes)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        directory.Before(Operation.Read, bytes.Length, 0);
        int length = (int)Math.Clamp(content.Bytes.Length - offset, 0, bytes.Length);
        content.Bytes.AsSpan((int)Math.Min(offset, content.Bytes.Length), length).CopyTo(bytes);
        return length;
    }

    public override void Sync()
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        try
        {
            directory.Before(Operation.Sync, 0, 0);
        }
        catch (IOException)
        {
            content.Forget(); // As Linux does: the bytes stay to be read, and no later call writes them.
            throw;
        }

        content.Sync();
    }

    public override void SetLength(long length)
    {
        directory.Before(Operation.Write, 0, length - content.Bytes.Length);
        content.SetLength((int)length);
    }

    protected override void Dispose(bool disposing) => _isClosed = true;
}
