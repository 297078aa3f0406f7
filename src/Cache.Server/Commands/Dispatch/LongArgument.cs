using System.Diagnostics;
using Cache.Core;
using Cache.Server.Transport;

namespace Cache.Server.Commands.Dispatch;

/// <summary>An argument so long that its bytes go from the input to where the store will keep them.</summary>
internal sealed class LongArgument(LargeValue value, int length) : FillTarget
{
    /// <summary>Shorter ones are put together with the rest of their request.</summary>
    public const int LengthMin = 128 * 1024;

    /// <summary>Before so much has arrived, a declared length takes nothing, not even a page.</summary>
    public const int ArrivedBytesMin = 4096;

    private bool _isGivenUp;

    public int Length { get; } = length;

    public int ArrivedBytes { get; private set; }

    /// <summary>What of it is the client's: nothing, once the store has it.</summary>
    public int HeldBytes => _isGivenUp ? 0 : ArrivedBytes;

    /// <summary>What of it counts as the client's memory; set by the connection.</summary>
    public int CountedBytes { get; set; }

    public int MissingBytes => Length - ArrivedBytes;

    /// <summary>Its bytes, once none is missing.</summary>
    public ReadOnlySpan<byte> Span => value.Span;

    public override Span<byte> Room => value.Span[ArrivedBytes..];

    /// <summary>Takes what belongs to it.</summary>
    /// <returns>How many bytes these were.</returns>
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

    /// <summary>The value for the store: the client neither looks at it any more nor holds it.</summary>
    public LargeValue GiveUp()
    {
        _isGivenUp = true;
        return value;
    }

    /// <summary>Gives the memory back, unless the store has taken it over.</summary>
    public void Clear() => value.Dispose();
}
