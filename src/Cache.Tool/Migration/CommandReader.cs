using System.Globalization;
using System.Text;

namespace Cache.Tool.Migration;

/// <summary>Reads the commands that a source sends to its replicas.</summary>
/// <remarks>Memory grows with the bytes that are there, not with what the source says of them.</remarks>
internal sealed class CommandReader(LinkReader reader)
{
    // Redis's own bounds of a request: proto-max-bulk-len as it is by default, and the words of a query.
    private const int WordBytesMax = 512 << 20;
    private const int WordsMax = 1 << 20;

    // An MSET of several long values; beyond this the source has a request that no target takes.
    private const int CommandBytesMax = 1 << 30;

    private const int LineLengthMax = 32;
    private const int NameLengthMax = 64;

    // What is kept for the next command.
    private const int KeptBytes = 1 << 20;

    private byte[] _bytes = new byte[1 << 14];
    private int _length;

    /// <summary>Waits for the next command.</summary>
    /// <exception cref="InvalidDataException">What comes is no command.</exception>
    public ReplicatedCommand Read()
    {
        if (_bytes.Length > KeptBytes)
            _bytes = new byte[KeptBytes];
        _length = 0;
        int words = ReadHeader((byte)'*', WordsMax);
        if (words < 1)
            throw new InvalidDataException("a command without words");
        var name = ReadWord();
        string text = name.Length <= NameLengthMax
            ? Encoding.Latin1.GetString(_bytes.AsSpan(name.Start, name.Length)).ToUpperInvariant()
            : throw new InvalidDataException("a name of a command that is too long");
        (int Start, int Length) key = words > 1 ? ReadWord() : (0, 0);
        for (int i = 2; i < words; i++)
            ReadWord();
        return new ReplicatedCommand(
            _bytes.AsSpan(0, _length), text, _bytes.AsSpan(key.Start, key.Length));
    }

    private (int Start, int Length) ReadWord()
    {
        int length = ReadHeader((byte)'$', WordBytesMax);
        int start = _length;
        TakeBytes(length + 2);
        return _bytes[_length - 2] == '\r' && _bytes[_length - 1] == '\n'
            ? (start, length)
            : throw new InvalidDataException("a word that is longer than it says");
    }

    private int ReadHeader(byte type, int max)
    {
        int start = _length;
        do
        {
            TakeBytes(1);
            if (_length - start > LineLengthMax || _bytes[start] != type)
                throw new InvalidDataException($"a byte that begins no {(type == '*' ? "command" : "word")}");
        }
        while (_bytes[_length - 1] != '\n');

        var digits = _bytes.AsSpan((start + 1)..Math.Max(start + 1, _length - 2));
        bool isNumber = int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        return isNumber && number <= max && _bytes[_length - 2] == '\r'
            ? number
            : throw new InvalidDataException($"a count that is none, or more than {max}");
    }

    private void TakeBytes(int count)
    {
        if (count > CommandBytesMax - _length)
            throw new InvalidDataException($"a command of more than {CommandBytesMax} bytes");
        while (count > 0)
        {
            if (reader.Buffered.IsEmpty)
                reader.Fill();
            int part = Math.Min(count, reader.Buffered.Length);
            if (_bytes.Length - _length < part)
                Array.Resize(ref _bytes, Math.Max(_length + part, (int)Math.Min(CommandBytesMax, 2L * _bytes.Length)));
            reader.Buffered[..part].CopyTo(_bytes.AsSpan(_length));
            reader.Take(part);
            _length += part;
            count -= part;
        }
    }
}
