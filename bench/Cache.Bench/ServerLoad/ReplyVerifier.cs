using System.Text;

namespace Cache.Bench.ServerLoad;

/// <summary>Reads one reply at a time and tells whether it answers its request.</summary>
/// <remarks>
/// A value's length is known, so the usual reply is recognised by one compare of its header. Every value's ends are
/// compared, one in <see cref="WholeValueEvery"/> whole. Not thread-safe: one per connection.
/// </remarks>
internal sealed class ReplyVerifier
{
    public const int WholeValueEvery = 16;

    private readonly ValuePattern _values;
    private readonly bool _verifyValues;
    private readonly byte[] _valueHeader;
    private int _sinceWholeValue;

    public ReplyVerifier(ValuePattern values, bool verifyValues)
    {
        _values = values;
        _verifyValues = verifyValues;
        _valueHeader = Encoding.ASCII.GetBytes($"${values.ValueBytes}\r\n");
        ReplyBytesMax = _valueHeader.Length + values.ValueBytes + CrLf.Length;
    }

    /// <summary>The length of a value's reply.</summary>
    public int ReplyBytesMax { get; }

    private static ReadOnlySpan<byte> CrLf => "\r\n"u8;

    private static ReadOnlySpan<byte> Ok => "+OK\r\n"u8;

    private static ReadOnlySpan<byte> Null => "$-1\r\n"u8;

    /// <param name="input">What has arrived, from the reply's first byte on.</param>
    /// <param name="id">The id of the key that was asked for.</param>
    /// <param name="length">The reply's length, unless it is incomplete or wrong.</param>
    public ReplyKind ReadGet(ReadOnlySpan<byte> input, long id, out int length)
    {
        length = ReplyBytesMax;
        if (input.Length >= ReplyBytesMax && input.StartsWith(_valueHeader))
        {
            var value = input.Slice(_valueHeader.Length, _values.ValueBytes);
            return input.Slice(ReplyBytesMax - CrLf.Length, CrLf.Length).SequenceEqual(CrLf) && IsOwn(value, id)
                ? ReplyKind.Hit
                : ReplyKind.Wrong;
        }

        length = Null.Length;
        if (input.StartsWith(Null))
            return ReplyKind.Miss;
        bool mayBecomeOne = IsBeginningOf(input, _valueHeader) || IsBeginningOf(input, Null);
        return mayBecomeOne ? ReplyKind.Incomplete : ReplyKind.Wrong;
    }

    /// <inheritdoc cref="ReadGet"/>
    public static ReplyKind ReadSet(ReadOnlySpan<byte> input, out int length)
    {
        length = Ok.Length;
        if (input.StartsWith(Ok))
            return ReplyKind.Stored;
        return IsBeginningOf(input, Ok) ? ReplyKind.Incomplete : ReplyKind.Wrong;
    }

    private static bool IsBeginningOf(ReadOnlySpan<byte> input, ReadOnlySpan<byte> expected)
    {
        int length = Math.Min(input.Length, expected.Length);
        return input[..length].SequenceEqual(expected[..length]);
    }

    private bool IsOwn(ReadOnlySpan<byte> value, long id)
    {
        if (!_verifyValues)
            return true;
        if (++_sinceWholeValue < WholeValueEvery)
            return _values.MatchesEnds(value, id);
        _sinceWholeValue = 0;
        return _values.Matches(value, id);
    }
}
