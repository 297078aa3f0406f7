using System.Diagnostics;
using System.Runtime.Intrinsics;

namespace Cache.Server.Protocol;

/// <summary>Finds the requests that nearly all traffic consists of, many at a time.</summary>
/// <remarks>
/// Algorithm: the frame up to the key's length is one comparison of 16 bytes; lengths are a few digits. A request that
/// is not exactly in this form, incomplete and wrong ones included, ends the search and is left to
/// <see cref="RespRequestReader"/>, which reads the common ones in the same way. Stateless.
/// <code>
/// *2 CR LF $3 CR LF GET CR LF $ length CR LF key CR LF
/// *3 CR LF $3 CR LF SET CR LF $ length CR LF key CR LF $ length CR LF value CR LF
/// </code>
/// </remarks>
internal static class CommonRequestReader
{
    /// <summary>
    /// The most requests that are found at once: the number of cache lines that a core can load at once.
    /// </summary>
    public const int CountMax = 32;

    // Up to the dollar of the key's length.
    private const int FrameBytes = 14;

    // Longer values are not common, and mostly not complete in the input. Below every limit of a length.
    private const int DigitsMax = 6;

    // Lower-case letters in the command's name; a byte with its bit 5 set is one of the two cases of a letter.
    private static readonly Vector128<byte> _get = Vector128.Create("*2\r\n$3\r\nget\r\n$\0\0"u8);
    private static readonly Vector128<byte> _set = Vector128.Create("*3\r\n$3\r\nset\r\n$\0\0"u8);
    private static readonly Vector128<byte> _letters = Vector128.Create("\0\0\0\0\0\0\0\0   \0\0\0\0\0"u8);
    private static readonly Vector128<byte> _frame = Vector128.Create(
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0);

    /// <summary>Whether the input begins as a common request does, whatever follows.</summary>
    public static bool IsAtCommon(ReadOnlySpan<byte> input) =>
        input.Length >= Vector128<byte>.Count && IsFrame((Vector128.Create(input) | _letters) & _frame, out _);

    /// <summary>Reads the common and complete requests at the beginning of the input.</summary>
    /// <param name="input">Begins with the first byte of a request.</param>
    /// <param name="requests">Receives the requests.</param>
    /// <returns>The number of requests.</returns>
    public static int Read(ReadOnlySpan<byte> input, Span<CommonRequest> requests)
    {
        int count = 0;
        int offset = 0;
        while (count < requests.Length && TryRead(input, offset, ref requests[count]))
            offset = requests[count++].End;
        return count;
    }

    private static bool TryRead(ReadOnlySpan<byte> input, int offset, ref CommonRequest request)
    {
        if (input.Length - offset < Vector128<byte>.Count)
            return false;
        if (!IsFrame((Vector128.Create(input[offset..]) | _letters) & _frame, out bool isGet))
            return false;

        int position = offset + FrameBytes;
        if (!TryReadLength(input, ref position, out request.KeyLength))
            return false;
        request.KeyOffset = position;
        Debug.Assert(request.KeyLength >= 0);

        // The two bytes behind an argument are skipped unread, as in the other reader.
        position += request.KeyLength + 2;
        request.ValueLength = -1;
        if (!isGet)
        {
            if (position >= input.Length || input[position++] != '$')
                return false;
            if (!TryReadLength(input, ref position, out request.ValueLength))
                return false;
            request.ValueOffset = position;
            position += request.ValueLength + 2;
        }

        request.End = position;
        return position <= input.Length;
    }

    private static bool IsFrame(Vector128<byte> start, out bool isGet)
    {
        isGet = start == _get;
        return isGet || start == _set;
    }

    // A number without a leading zero, or zero itself, and CR LF.
    private static bool TryReadLength(ReadOnlySpan<byte> input, ref int position, out int length)
    {
        length = 0;
        int first = position;
        int last = Math.Min(input.Length - 2, first + DigitsMax);
        int at = first;
        for (; at < last; at++)
        {
            uint digit = (uint)(input[at] - '0');
            if (digit > 9)
                break;
            length = length * 10 + (int)digit;
        }

        Debug.Assert(length < 1_000_000);
        if (at == first || at > input.Length - 2 || input[at] != '\r' || input[at + 1] != '\n')
            return false;
        position = at + 2;
        return at == first + 1 || input[first] != '0';
    }
}
