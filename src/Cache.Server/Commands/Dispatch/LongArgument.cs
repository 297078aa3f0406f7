using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Transport;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// An argument so long that its bytes are received into the memory in which the store will keep them.
/// </summary>
internal sealed class LongArgument(LargeValue value, int length) : FillTarget
{
    /// <summary>Shorter arguments are assembled with the rest of their request.</summary>
    public const int LengthMin = 128 * 1024;

    /// <summary>Before this many bytes have arrived, a declared length takes no memory, not even a page.</summary>
    public const int ArrivedBytesMin = 4096;

    /// <summary>The length of <see cref="Beginning"/>.</summary>
    public const int BeginningLength = 128;

    private bool _isGivenUp;
    private bool _isMoved;
    private BeginningBytes _beginning;

    public int Length { get; } = length;

    public int ArrivedBytes { get; private set; }

    /// <summary>The bytes that the client holds: none, once the store has taken them over.</summary>
    public int HeldBytes => _isGivenUp ? 0 : ArrivedBytes;

    /// <summary>The bytes that count as the client's memory; set by the connection.</summary>
    public int CountedBytes { get; set; }

    public int MissingBytes => Length - ArrivedBytes;

    /// <summary>Its bytes, once complete.</summary>
    public ReadOnlySpan<byte> Span => value.Span;

    public override Span<byte> Room => value.Span[ArrivedBytes..];

    /// <summary>Copies the bytes that belong to it.</summary>
    /// <returns>The number of these bytes.</returns>
    public int Append(ReadOnlySpan<byte> bytes)
    {
        int count = Math.Min(bytes.Length, MissingBytes);
        bytes[..count].CopyTo(Room);
        Advance(count);
        return count;
    }

    public override void Advance(int count)
    {
        Debug.Assert(count >= 0 && count <= MissingBytes);
        ArrivedBytes += count;
    }

    /// <summary>
    /// Its first bytes, for logs; also when the store has taken it over, which may free its memory at any time.
    /// </summary>
    public ReadOnlySpan<byte> Beginning
    {
        get
        {
            if (_isGivenUp)
                return _beginning;
            return value.Span[..BeginningLength];
        }
    }

    /// <summary>Hands the value to the store: the client neither reads nor holds it any more.</summary>
    public LargeValue GiveUp()
    {
        Debug.Assert(Length >= BeginningLength);
        value.Span[..BeginningLength].CopyTo(_beginning);
        _isGivenUp = true;
        return value;
    }

    /// <summary>Hands the bytes over to another argument, which counts as the client's memory too.</summary>
    public LongArgument Move()
    {
        Debug.Assert(MissingBytes == 0 && !_isGivenUp);
        GiveUp();
        _isMoved = true;
        CountedBytes = 0;
        return new LongArgument(value, Length) { ArrivedBytes = Length, CountedBytes = Length };
    }

    /// <summary>Gives the memory back, unless the store has taken it over.</summary>
    public void Clear()
    {
        if (!_isMoved)
            value.Dispose();
    }

    [InlineArray(BeginningLength)]
    private struct BeginningBytes
    {
        private byte _first;
    }
}
