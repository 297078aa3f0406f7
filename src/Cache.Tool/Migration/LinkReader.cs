using System.Text;

namespace Cache.Tool.Migration;

/// <summary>The bytes that a source sends, in order.</summary>
/// <remarks>Nothing that the source says of lengths sizes memory here.</remarks>
internal sealed class LinkReader(Stream stream)
{
    // Longer than any line of a server that is no value.
    private const int LineLengthMax = 1 << 16;

    private readonly byte[] _buffer = new byte[1 << 18];
    private int _start;
    private int _end;

    /// <summary>Called before it waits for more.</summary>
    public Action? BeforeWait { get; set; }

    /// <summary>The bytes that are there; some, unless they were all taken.</summary>
    public ReadOnlySpan<byte> Buffered => _buffer.AsSpan(_start, _end - _start);

    public void Take(int count) => _start += count;

    /// <summary>Waits until more bytes are there than before.</summary>
    /// <exception cref="EndOfStreamException">The source has closed the connection.</exception>
    public void Fill()
    {
        BeforeWait?.Invoke();
        if (_start > 0)
        {
            Buffered.CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }

        int count = stream.Read(_buffer.AsSpan(_end));
        if (count == 0)
            throw new EndOfStreamException("The source has closed the connection.");
        _end += count;
    }

    /// <summary>A line without its end.</summary>
    public string ReadLine()
    {
        while (true)
        {
            int length = Buffered.IndexOf((byte)'\n');
            if (length >= 0)
            {
                string line = Encoding.Latin1.GetString(Buffered[..length]);
                _start += length + 1;
                return line.TrimEnd('\r');
            }

            if (Buffered.Length > LineLengthMax)
                throw new InvalidDataException("The source sent a line that is too long: is it a Redis port?");
            Fill();
        }
    }
}
