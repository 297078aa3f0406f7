using System.Diagnostics;
using System.Globalization;

namespace Cache.Tool.Migration;

/// <summary>The bytes of requests that leave together; long arguments may leave on their own in between.</summary>
internal sealed class RequestBuffer
{
    private const int InitialBytes = 4096;

    // Of a type, the digits of any number, and the end of the line.
    private const int HeaderLengthMax = 23;

    private byte[] _bytes = new byte[InitialBytes];

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    public void Clear() => Length = 0;

    /// <summary>Begins a request of so many words.</summary>
    public RequestBuffer Begin(int words) => Header((byte)'*', words);

    /// <summary>Adds a word.</summary>
    public RequestBuffer Add(ReadOnlySpan<byte> word) => BeginWord(word.Length).AddRaw(word).EndWord();

    public RequestBuffer Add(long number)
    {
        Span<byte> text = stackalloc byte[HeaderLengthMax];
        bool isWritten = number.TryFormat(text, out int length, provider: CultureInfo.InvariantCulture);
        Debug.Assert(isWritten);
        return Add(text[..length]);
    }

    /// <summary>Begins a word whose bytes are added raw.</summary>
    public RequestBuffer BeginWord(int length) => Header((byte)'$', length);

    public RequestBuffer EndWord() => AddRaw("\r\n"u8);

    public RequestBuffer AddRaw(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Reserve(bytes.Length));
        Length += bytes.Length;
        return this;
    }

    private RequestBuffer Header(byte type, int number)
    {
        var room = Reserve(HeaderLengthMax);
        room[0] = type;
        bool isWritten = number.TryFormat(room[1..], out int digits, provider: CultureInfo.InvariantCulture);
        Debug.Assert(isWritten);
        "\r\n"u8.CopyTo(room[(1 + digits)..]);
        Length += digits + 3;
        return this;
    }

    private Span<byte> Reserve(int bytes)
    {
        if (_bytes.Length - Length < bytes)
            Array.Resize(ref _bytes, Math.Max(Length + bytes, 2 * _bytes.Length));
        return _bytes.AsSpan(Length);
    }
}
