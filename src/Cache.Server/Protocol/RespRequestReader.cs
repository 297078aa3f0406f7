using System.Diagnostics;

namespace Cache.Server.Protocol;

/// <summary>Reads requests, as arrays of bulk strings or as lines, from bytes that arrive in pieces.</summary>
/// <remarks>
/// Algorithm: the state is the awaited argument and the position of the unread bytes, so that reading an incomplete
/// request continues where it stopped. Offsets count from the request's first byte, hence stay valid when the caller
/// moves the bytes. Accepts and refuses the same requests as Redis 7.0, with the same errors (networking.c,
/// processInlineBuffer and processMultibulkBuffer): line ends are not verified where Redis does not verify them, and a
/// NUL hides what follows it in a header. Concurrency: one thread at a time. Invariants: 0 ≤ _position ≤ the input's
/// length; a declared count or length never sizes memory.
/// </remarks>
internal sealed class RespRequestReader
{
    /// <summary>
    /// The longest line and the longest header in bytes, as in Redis: far above any command typed by hand.
    /// </summary>
    public const int LineBytesMax = 64 * 1024;

    /// <summary>The most arguments: eight megabytes of ranges. Redis takes more; clients send fewer.</summary>
    public const int ArgumentCountMax = 1024 * 1024;

    // Before AUTH a client is not trusted; Redis's bounds.
    private const int StrangerArgumentCountMax = 10;
    private const int StrangerBulkBytesMax = 16 * 1024;

    // After a long line, memory up to this length is kept.
    private const int KeptInlineBytesMax = 4096;

    private const long LengthUnknown = -1;

    // One spare reader per thread, between reads.
    [ThreadStatic]
    private static RespRequestReader? _spare;

    private readonly ArgumentList _arguments = new();
    private readonly InlineRequest _inline = new();

    // The state of reading the present request.
    private bool _started;
    private bool _isInline;
    private bool _hasCount;
    private bool _isPassingOver;
    private int _position;
    private int _searched;
    private long _awaitedCount;
    private long _bulkLength = LengthUnknown;
    private byte[] _error = [];

    /// <summary>The longest argument in bytes (Redis: proto-max-bulk-len).</summary>
    public long BulkBytesMax { get; set; } = 512L << 20;

    /// <summary>Whether the client has authenticated, or need not; if not, narrow bounds apply.</summary>
    public bool IsAuthenticated { get; set; } = true;

    /// <summary>After any status but Incomplete: the bytes of the input that were consumed.</summary>
    public int Consumed { get; private set; }

    /// <summary>After Incomplete: another attempt is pointless while the input is shorter than this.</summary>
    public int BytesNeeded { get; private set; }

    /// <summary>After Incomplete: the length of the argument whose bytes are awaited; negative: none.</summary>
    public int AwaitedLength => _started && !_isInline ? (int)_bulkLength : -1;

    /// <summary>With an <see cref="AwaitedLength"/>: the beginning of that argument in the input.</summary>
    public int AwaitedStart => _position;

    /// <summary>The memory for the arguments of an unusually long request, besides its bytes; 0 for others.</summary>
    public int MemoryBytes => _arguments.MemoryBytes;

    /// <summary>After ProtocolError: the text of the error reply, without its type byte.</summary>
    public ReadOnlySpan<byte> Error => _error;

    /// <summary>A reader for the caller; the spare one of the present thread, if it has one.</summary>
    public static RespRequestReader Borrow()
    {
        var reader = _spare ?? new RespRequestReader();
        _spare = null;
        Debug.Assert(!reader._started && reader._arguments.Count == 0, "It was given back between two requests.");
        return reader;
    }

    /// <summary>Forgets an incomplete request, and keeps the reader for the next connection of this thread.</summary>
    public void GiveBack()
    {
        _started = false;
        _isPassingOver = false;
        _arguments.Clear();
        _spare = this;
    }

    /// <summary>Reads the next request.</summary>
    /// <param name="input">
    /// Begins with the first byte that was not consumed; after Incomplete, with the same bytes as before.
    /// </param>
    public RespReadStatus TryRead(ReadOnlySpan<byte> input)
    {
        if (!_started)
        {
            if (input.IsEmpty)
                return Need(1);
            Start(input[0]);
        }

        Debug.Assert(_position <= input.Length, "After Incomplete, the input only grows.");
        return _isInline ? ReadInline(input) : ReadArray(input);
    }

    /// <summary>
    /// The awaited argument is in memory of its own: the input continues with the line end behind it.
    /// </summary>
    public void LeaveElsewhere()
    {
        Debug.Assert(AwaitedLength >= 0);
        _arguments.Add(ArgumentRange.Elsewhere(AwaitedLength));
        _bulkLength = LengthUnknown;
        _position = _searched = _position + 2;
        BytesNeeded = _position;
    }

    /// <summary>
    /// After Incomplete: drops the read part of the request, and the awaited argument. Further calls read to the
    /// request's end, and keep no more than needed.
    /// </summary>
    /// <param name="inputLength">The length of the input.</param>
    /// <returns>
    /// The number of consumed bytes, perhaps more than the input has; the next input begins behind them.
    /// </returns>
    public long PassOver(int inputLength)
    {
        Debug.Assert(_started && !_isInline && _hasCount);
        long done = _position;
        if (_bulkLength != LengthUnknown)
        {
            done += _bulkLength + 2;
            _awaitedCount--;
        }

        Debug.Assert(_bulkLength == LengthUnknown || done > inputLength);
        _isPassingOver = true;
        _bulkLength = LengthUnknown;
        _awaitedCount -= _arguments.Count;
        _arguments.Clear();
        _searched = (int)Math.Max(0, _searched - done);
        _position = 0;
        BytesNeeded = (int)Math.Max(0, inputLength - done) + 1;
        return done;
    }

    /// <summary>The request, after Complete, over the same input.</summary>
    /// <param name="input">The same input as was read.</param>
    /// <param name="elsewhere">The argument in memory of its own, if there is one.</param>
    public RespRequest GetRequest(ReadOnlySpan<byte> input, ReadOnlySpan<byte> elsewhere = default) =>
        new(_isInline ? _inline.Bytes : input, _arguments.Items, elsewhere);

    private void Start(byte first)
    {
        Debug.Assert(!_started);
        _started = true;
        _isInline = first != '*';
        _hasCount = false;
        _isPassingOver = false;
        _position = 0;
        _searched = 0;
        _awaitedCount = 0;
        _bulkLength = LengthUnknown;
        _arguments.Clear();
        _inline.Trim(KeptInlineBytesMax);
    }

    private RespReadStatus ReadInline(ReadOnlySpan<byte> input)
    {
        int end = IndexOfOrHidden(input, (byte)'\n');
        if (end < 0)
            return input.Length > LineBytesMax ? Fail("too big inline request"u8) : Need(input.Length + 1);
        int length = end > 0 && input[end - 1] == '\r' ? end - 1 : end;
        if (!_inline.TrySplit(input[..length], _arguments))
            return Fail("unbalanced quotes in request"u8);
        return Finish(end + 1);
    }

    private RespReadStatus ReadArray(ReadOnlySpan<byte> input)
    {
        Debug.Assert(_started && !_isInline);
        if (!_hasCount)
        {
            var status = ReadCount(input);
            if (status != RespReadStatus.Complete)
                return status;
            _hasCount = true;
            if (_awaitedCount <= 0)
                return Finish(_position);
        }

        while (_arguments.Count < _awaitedCount)
        {
            var status = ReadArgument(input);
            if (status != RespReadStatus.Complete)
                return status;
        }

        return Finish(_position);
    }

    private RespReadStatus ReadCount(ReadOnlySpan<byte> input)
    {
        if (TryReadShortHeader(input, (byte)'*', out _awaitedCount))
            return CheckCount();
        var status = ReadHeader(input, "too big mbulk count string"u8, out var text);
        if (status != RespReadStatus.Complete)
            return status;
        if (!RespInteger.TryParse(text[1..], out _awaitedCount) || _awaitedCount > int.MaxValue)
            return Fail("invalid multibulk length"u8);
        return CheckCount();
    }

    private RespReadStatus CheckCount() => _awaitedCount > StrangerArgumentCountMax && !IsAuthenticated
        ? Fail("unauthenticated multibulk length"u8)
        : RespReadStatus.Complete;

    private RespReadStatus ReadArgument(ReadOnlySpan<byte> input)
    {
        Debug.Assert(_arguments.Count < _awaitedCount);
        if (_bulkLength == LengthUnknown)
        {
            var status = ReadBulkLength(input);
            if (status != RespReadStatus.Complete)
                return status;
        }

        // The two bytes behind an argument are skipped unread, as in Redis.
        long end = _position + _bulkLength + 2;
        if (end > int.MaxValue)
            return Fail("invalid bulk length"u8);
        if (input.Length < end)
            return Need((int)end);
        _arguments.Add(new ArgumentRange(_position, (int)_bulkLength));
        _position = _searched = (int)end;
        Debug.Assert(_position <= input.Length);
        _bulkLength = LengthUnknown;
        return RespReadStatus.Complete;
    }

    private RespReadStatus ReadBulkLength(ReadOnlySpan<byte> input)
    {
        Debug.Assert(_bulkLength == LengthUnknown);
        if (_arguments.Count < ArgumentCountMax && TryReadShortHeader(input, (byte)'$', out long few))
        {
            _bulkLength = few;
            return few <= BulkBytesMax ? RespReadStatus.Complete : Fail("invalid bulk length"u8);
        }

        var status = ReadHeader(input, "too big bulk count string"u8, out var text);
        if (status != RespReadStatus.Complete)
            return status;
        if (text.IsEmpty || text[0] != '$')
            return FailUnexpected(text.IsEmpty ? (byte)'\r' : text[0]);
        if (!RespInteger.TryParse(text[1..], out long length) || length < 0 || length > BulkBytesMax)
            return Fail("invalid bulk length"u8);
        if (length > StrangerBulkBytesMax && !IsAuthenticated)
            return Fail("unauthenticated bulk length"u8);
        if (_arguments.Count == ArgumentCountMax)
            return Fail("too many arguments, the limit is 1048576"u8);
        _bulkLength = length;
        return status;
    }

    /// <summary>Reads a header whose number has one digit or two, as most have; moves the position behind it.</summary>
    /// <returns>False if it is another one, or not there yet: nothing is read.</returns>
    private bool TryReadShortHeader(ReadOnlySpan<byte> input, byte type, out long number)
    {
        const int OneDigitLength = 4; // The byte behind the CR is skipped unread.
        number = 0;
        var header = input[_position..];
        if (header.Length <= OneDigitLength || header[0] != type || !IsDigit(header[1]))
            return false;
        number = header[1] - '0';
        if (header[2] == '\r')
        {
            _position = _searched = _position + OneDigitLength;
            return true;
        }

        if (number == 0 || !IsDigit(header[2]) || header[3] != '\r')
            return false;
        number = number * 10 + header[2] - '0';
        _position = _searched = _position + OneDigitLength + 1;
        return true;
    }

    private static bool IsDigit(byte character) => (uint)(character - '0') <= 9;

    /// <summary>A header from its type byte to before its CR; moves the position behind its LF.</summary>
    private RespReadStatus ReadHeader(ReadOnlySpan<byte> input, ReadOnlySpan<byte> tooLong, out ReadOnlySpan<byte> text)
    {
        text = default;
        int end = IndexOfOrHidden(input, (byte)'\r');
        if (end < 0)
            return input.Length - _position > LineBytesMax ? Fail(tooLong) : Need(input.Length + 1);
        if (end + 2 > input.Length)
            return Need(end + 2);
        text = input[_position..end];
        _position = _searched = end + 2;
        return RespReadStatus.Complete;
    }

    /// <summary>
    /// The end of a line, or −1 if it is not there yet or a NUL hides it; the search continues where it stopped.
    /// </summary>
    private int IndexOfOrHidden(ReadOnlySpan<byte> input, byte lineEnd)
    {
        Debug.Assert(_searched >= _position && _searched <= input.Length);
        int index = input[_searched..].IndexOfAny(lineEnd, (byte)0);
        if (index >= 0 && input[_searched + index] == lineEnd)
            return _searched + index;
        _searched = index < 0 ? input.Length : _searched + index;
        return -1;
    }

    private RespReadStatus Need(int bytes)
    {
        BytesNeeded = bytes;
        return RespReadStatus.Incomplete;
    }

    private RespReadStatus Finish(int consumed)
    {
        Debug.Assert(consumed > 0 || _isPassingOver, "A request has at least one byte, so reading makes progress.");
        Consumed = consumed;
        _started = false;
        if (_isPassingOver)
            return RespReadStatus.Refused;
        return _arguments.Count > 0 ? RespReadStatus.Complete : RespReadStatus.Skipped;
    }

    private RespReadStatus FailUnexpected(byte got)
    {
        ReadOnlySpan<byte> text = "expected '$', got '"u8;
        return Fail([.. text, got, (byte)'\'']);
    }

    private RespReadStatus Fail(ReadOnlySpan<byte> what)
    {
        _error = [.. "ERR Protocol error: "u8, .. what];
        Consumed = _position;
        _started = false;
        return RespReadStatus.ProtocolError;
    }
}
