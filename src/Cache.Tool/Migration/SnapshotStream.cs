using System.Globalization;
using System.Text;

namespace Cache.Tool.Migration;

/// <summary>The snapshot that a source sends before its stream of commands: an RDB file.</summary>
/// <remarks>
/// <code>
///  $length CR LF │ file                      from the source's disk
///  $EOF:mark 40 CR LF │ file │ mark 40       from its memory: the length is not known before
/// </code>
/// Source: Redis 7.0's replication.c.
/// </remarks>
internal sealed class SnapshotStream : Stream
{
    private const string EndPrefix = "$EOF:";
    private const int MarkLength = 40;

    private readonly LinkReader _reader;
    private readonly byte[]? _mark;
    private long _left;

    /// <param name="reader">Has read up to the line before the file.</param>
    /// <exception cref="InvalidDataException">No file follows.</exception>
    public SnapshotStream(LinkReader reader)
    {
        _reader = reader;
        string line;
        do
        {
            line = reader.ReadLine();
        }
        while (line.Length == 0); // The source lives, and is not ready.

        if (line.StartsWith(EndPrefix, StringComparison.Ordinal) && line.Length == EndPrefix.Length + MarkLength)
            (_mark, _left) = (Encoding.Latin1.GetBytes(line[EndPrefix.Length..]), long.MaxValue);
        else if (line[0] != '$'
            || !long.TryParse(line.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out _left))
        {
            throw new InvalidDataException($"The source announces no snapshot: {line}");
        }

        Total = _mark is null ? _left : null;
    }

    /// <summary>Its length, if the source has told it.</summary>
    public long? Total { get; }

    /// <summary>The bytes that were read.</summary>
    public long Taken { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => Taken;
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        if (_left == 0 || buffer.IsEmpty)
            return 0;
        int count = (int)Math.Min(Math.Min(_left, CountReadable()), buffer.Length);
        _reader.Buffered[..count].CopyTo(buffer);
        _reader.Take(count);
        _left -= count;
        Taken += count;
        return count;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    // Those that cannot be of the mark; 0 at the mark, which is taken.
    private int CountReadable()
    {
        while (true)
        {
            var there = _reader.Buffered;
            if (_mark is null && there.Length > 0)
                return there.Length;
            int at = _mark is null ? -1 : there.IndexOf(_mark);
            if (at > 0)
                return at;
            if (at == 0)
            {
                _reader.Take(MarkLength);
                return (int)(_left = 0);
            }

            if (there.Length >= MarkLength)
                return there.Length - MarkLength + 1;
            _reader.Fill();
        }
    }
}
