using Cache.Durability.Files;

namespace Cache.Durability.Tests.Files;

/// <summary>An open file of a <see cref="FaultyDirectory"/>.</summary>
internal sealed class FaultyFile : StorageFile
{
    private readonly FaultyDirectory _directory;
    private readonly FaultyContent _content;
    private readonly bool _isWritable;
    private bool _isClosed;

    public FaultyFile(FaultyDirectory directory, FaultyContent content, string name, bool writable)
    {
        (_directory, _content, Name, _isWritable) = (directory, content, name, writable);
        directory.OpenFiles++;
    }

    public override string Name { get; }

    public override long Length => _content.Bytes.Length;

    public override void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        if (!_isWritable)
            throw new IOException($"{Name} was opened for reading.");
        int room = _directory.Before(Operation.Write, bytes.Length, offset + bytes.Length - _content.Bytes.Length);
        _content.Write(offset, bytes[..room]);
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
        _directory.Before(Operation.Read, bytes.Length, 0);
        int length = (int)Math.Clamp(_content.Bytes.Length - offset, 0, bytes.Length);
        if (_content.UnreadableAt >= offset && _content.UnreadableAt < offset + length)
            throw new IOException($"{Name}: byte {_content.UnreadableAt} cannot be read.");
        _content.Bytes.AsSpan((int)Math.Min(offset, _content.Bytes.Length), length).CopyTo(bytes);
        return length;
    }

    public override void Sync()
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        try
        {
            _directory.Before(Operation.Sync, 0, 0);
        }
        catch (IOException) when (!_directory.HasCrashed)
        {
            _content.Forget(); // As Linux does: the bytes stay to be read, and no later call writes them.
            throw;
        }

        _content.Sync();
    }

    public override void SetLength(long length)
    {
        _directory.Before(Operation.Write, 0, length - _content.Bytes.Length);
        _content.SetLength((int)length);
    }

    protected override void Dispose(bool disposing)
    {
        if (!_isClosed)
            _directory.OpenFiles--;
        _isClosed = true;
    }
}
