using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Cache.Server.Transport;

namespace Cache.Server.Protocol;

/// <summary>
/// Writes replies in RESP2 or RESP3 into the memory of a pipe, without calling the pipe for each reply.
/// </summary>
/// <remarks>
/// Algorithm: holds one stretch of the pipe's memory and fills it; when it is full, advances the pipe and asks for the
/// next. <see cref="BeginFlush"/> hands the written bytes to the pipe; nothing is flushed here. Concurrency: one thread
/// at a time. Invariant: _start ≤ _position ≤ _end ≤ _array.Length.
/// </remarks>
internal sealed class RespReplyWriter
{
    // Lets a few small replies share one request for memory.
    private const int StretchBytes = 4096;

    // Codes are one word: "ERR", "WRONGTYPE"; a longer first word is truncated.
    private const int ErrorCodeBytesMax = 32;

    private PipeWriter? _output;
    private byte[] _array = [];
    private int _start;
    private int _position;
    private int _end;
    private long _committedBytes;
    private int _bulkHeaderLength;

    // The bulk string that is being filled, if it is too long for the pipe's memory, whose pool would keep that memory.
    private LongBulk? _longBulk;

    // Of the last bulk string, if it was not flushed yet.
    private int _unflushedBulkLength;

    private byte[] _errorCode = [];
    private int _errorCodeLength;
    private ErrorTally _tally; // Since it was taken.

    /// <summary>Creates a writer without an output: <see cref="Begin"/> gives it one.</summary>
    public RespReplyWriter()
    {
    }

    /// <summary>Creates a writer into a pipe.</summary>
    public RespReplyWriter(PipeWriter output) => Begin(output, ProtocolVersion);

    /// <summary>The version of RESP that the client chose with HELLO: 2 or 3.</summary>
    public int ProtocolVersion { get; set; } = 2;

    /// <summary>Whether a script gets the replies: commands refuse it what would block.</summary>
    public bool IsOfScript { get; init; }

    /// <summary>The number of errors so far, for statistics.</summary>
    public int ErrorCount { get; private set; }

    /// <summary>Takes the errors that were not taken yet: by the command that is told of them.</summary>
    public ErrorTally TakeErrors()
    {
        var tally = _tally;
        _tally = default;
        return tally;
    }

    /// <summary>Notes that the last error is one that a command of a script has replied: it was counted then.</summary>
    public void NoteRepeatedError()
    {
        if (_tally.New > 0)
            (_tally.New, _tally.Repeated) = (_tally.New - 1, _tally.Repeated + 1);
    }

    /// <summary>Notes the errors within a literal.</summary>
    /// <param name="repeated">Those that were counted when a command replied them.</param>
    /// <param name="counted">Those that were counted since.</param>
    public void NoteErrors(int repeated, int counted)
    {
        ErrorCount += repeated + counted;
        _tally.Repeated += repeated;
        _tally.Counted += counted;
    }

    /// <summary>The code of the last error, its first word; valid until the next.</summary>
    public ReadOnlySpan<byte> ErrorCode => _errorCode.AsSpan(0, _errorCodeLength);

    /// <summary>The length of the last bulk string.</summary>
    public int LastBulkLength { get; private set; }

    /// <summary>The bytes of replies since the last flush.</summary>
    public long UnflushedBytes => _committedBytes + _position - _start;

    /// <summary>Those of these bytes that are lent, and so take no memory of the connection.</summary>
    public long UnflushedLentBytes { get; private set; }

    /// <summary>Whether the output can send bytes without copying them.</summary>
    public bool TakesLent { get; private set; }

    /// <summary>Whether the unsent bytes, except for one bulk string, exceed a limit; 0: no limit.</summary>
    public bool Exceeds(long limit) => limit > 0 && UnflushedBytes - _unflushedBulkLength > limit;

    private PipeWriter Output => _output ?? throw new InvalidOperationException("No output is given.");

    public bool IsResp3 => ProtocolVersion == 3;

    /// <summary>Writes into a pipe from now on.</summary>
    public void Begin(PipeWriter output, int protocolVersion)
    {
        Debug.Assert(_output is null);
        _output = output;
        TakesLent = output is LendingPipeWriter;
        ProtocolVersion = protocolVersion;
    }

    /// <summary>Ends writing into the pipe; the written bytes are handed over, or lost with the pipe.</summary>
    public void End()
    {
        BeginFlush();
        _output = null;
    }

    /// <summary>A complete reply, with its type byte and CR LF.</summary>
    public void Literal(ReadOnlySpan<byte> frame)
    {
        frame.CopyTo(Reserve(frame.Length));
        _position += frame.Length;
        AssertValid();
    }

    /// <summary>+text</summary>
    public void SimpleString(ReadOnlySpan<byte> text) => Line((byte)'+', text);

    /// <summary>-text; the text begins with its code, as in "ERR syntax error". CR and LF become spaces.</summary>
    public void Error(ReadOnlySpan<byte> text)
    {
        Debug.Assert(!text.IsEmpty, "It begins with its code.");
        NoteError(text);
        var line = Line((byte)'-', text);
        for (int at; (at = line.IndexOfAny((byte)'\r', (byte)'\n')) >= 0;)
            line[at] = (byte)' ';
    }

    /// <summary>:number</summary>
    public void Integer(long number) => Header((byte)':', number);

    /// <summary>$length, bytes</summary>
    public void Bulk(ReadOnlySpan<byte> value)
    {
        value.CopyTo(BeginBulk(value.Length));
        EndBulk(value.Length);
    }

    /// <summary>$length, bytes; these are sent without a copy and then disposed of.</summary>
    /// <exception cref="InvalidCastException">The output does not accept lent bytes.</exception>
    public void Bulk(LentBytes value) => UnflushedLentBytes += Write(value);

    /// <summary>An integer as a bulk string.</summary>
    public void BulkInteger(long number)
    {
        Span<byte> text = stackalloc byte[20];
        Utf8Formatter.TryFormat(number, text, out int length);
        Bulk(text[..length]);
    }

    /// <summary>,number; in RESP2 a bulk string. With 17 digits, as C's printf writes it.</summary>
    public void Double(double number)
    {
        Span<byte> text = stackalloc byte[RespDouble.LengthMax];
        DoubleText(text[..RespDouble.Format(number, text)]);
    }

    /// <summary>,text; in RESP2 a bulk string.</summary>
    /// <param name="text">A number as a text.</param>
    public void DoubleText(ReadOnlySpan<byte> text)
    {
        if (IsResp3)
            Line((byte)',', text);
        else
            Bulk(text);
    }

    /// <summary>
    /// Returns room for the bytes of a bulk string, behind its header; it counts as written only after
    /// <see cref="EndBulk"/>.
    /// </summary>
    /// <param name="length">The length in bytes.</param>
    /// <returns>Exactly this many bytes, valid until the next call.</returns>
    public Span<byte> BeginBulk(int length)
    {
        Debug.Assert(length >= 0);
        if (length >= LongBulk.LengthMin && TakesLent)
            return BeginLongBulk(length);
        var room = Reserve(RespHeader.LengthMax + length + 2);
        _bulkHeaderLength = RespHeader.Write(room, (byte)'$', length);
        return room.Slice(_bulkHeaderLength, length);
    }

    /// <summary>Makes the bytes in the room of <see cref="BeginBulk"/> the reply.</summary>
    /// <param name="length">The same length.</param>
    public void EndBulk(int length)
    {
        if (length >= LongBulk.LengthMin && TakesLent)
        {
            EndLongBulk(length);
            return;
        }

        LastBulkLength = _unflushedBulkLength = length;
        int end = _position + _bulkHeaderLength + length;
        Debug.Assert(end + 2 <= _end);
        _array[end] = (byte)'\r';
        _array[end + 1] = (byte)'\n';
        _position = end + 2;
        AssertValid();
    }

    /// <summary>The absence of a value: $-1, or _ in RESP3.</summary>
    public void Null() => Literal(IsResp3 ? "_\r\n"u8 : "$-1\r\n"u8);

    /// <summary>The absence of an array: *-1, or _ in RESP3.</summary>
    public void NullArray() => Literal(IsResp3 ? "_\r\n"u8 : "*-1\r\n"u8);

    /// <summary>*count; the elements follow.</summary>
    public void ArrayHeader(long count) => Header((byte)'*', count);

    /// <summary>>count, a message that is no reply; the elements follow. In RESP2 an array.</summary>
    public void PushHeader(int count) => Header(IsResp3 ? (byte)'>' : (byte)'*', count);

    /// <summary>%pairs; keys and values follow in turn. In RESP2 an array of twice as many elements.</summary>
    public void MapHeader(int pairs) => Header(IsResp3 ? (byte)'%' : (byte)'*', IsResp3 ? pairs : pairs * 2L);

    /// <summary>~count; in RESP2 an array.</summary>
    public void SetHeader(int count) => Header(IsResp3 ? (byte)'~' : (byte)'*', count);

    /// <summary>=length, txt:text; in RESP2 a bulk string.</summary>
    public void VerbatimText(ReadOnlySpan<byte> text) => VerbatimText(text, "txt"u8);

    /// <summary>The same, of another format, whose name has three characters.</summary>
    public void VerbatimText(ReadOnlySpan<byte> text, ReadOnlySpan<byte> format)
    {
        if (!IsResp3)
        {
            Bulk(text);
            return;
        }

        Debug.Assert(format.Length == 3);
        Header((byte)'=', text.Length + 4);
        var room = Reserve(text.Length + 6);
        format.CopyTo(room);
        room[3] = (byte)':';
        text.CopyTo(room[4..]);
        "\r\n"u8.CopyTo(room[(text.Length + 4)..]);
        _position += text.Length + 6;
        AssertValid();
    }

    /// <summary>Hands the bytes so far to the pipe; the caller flushes it.</summary>
    public void BeginFlush()
    {
        Commit();
        _longBulk?.Dispose();
        _longBulk = null;
        _committedBytes = 0;
        UnflushedLentBytes = 0;
        _unflushedBulkLength = 0;
    }

    private int Write(LentBytes value)
    {
        int length = value.Span.Length;
        try
        {
            Header((byte)'$', length);
            Commit();
        }
        catch (OutOfMemoryException)
        {
            value.Dispose();
            throw;
        }

        ((LendingPipeWriter)Output).Write(value);
        _committedBytes += length;
        LastBulkLength = _unflushedBulkLength = length;
        Literal("\r\n"u8);
        return length;
    }

    // Called again if the copy was torn.
    private Span<byte> BeginLongBulk(int length)
    {
        Debug.Assert(length >= LongBulk.LengthMin);
        _longBulk?.Dispose();
        var value = new LongBulk(length);
        _longBulk = value;
        return value.Room;
    }

    private void EndLongBulk(int length)
    {
        var value = _longBulk;
        Debug.Assert(value is not null && value.Span.Length == length);
        _longBulk = null;
        Write(value);
    }

    private void Commit()
    {
        AssertValid();
        if (_position > _start)
            Output.Advance(_position - _start);
        _committedBytes += _position - _start;
        _array = [];
        _start = _position = _end = 0;
    }

    private void NoteError(ReadOnlySpan<byte> text)
    {
        if (_errorCode.Length == 0)
            _errorCode = new byte[ErrorCodeBytesMax];
        int end = text.IndexOf((byte)' ');
        var code = text[..Math.Min(end < 0 ? text.Length : end, ErrorCodeBytesMax)];
        code.CopyTo(_errorCode);
        _errorCodeLength = code.Length;
        ErrorCount++;
        _tally.New++;
    }

    private Span<byte> Line(byte type, ReadOnlySpan<byte> text)
    {
        var room = Reserve(text.Length + 3);
        room[0] = type;
        text.CopyTo(room[1..]);
        room[text.Length + 1] = (byte)'\r';
        room[text.Length + 2] = (byte)'\n';
        _position += text.Length + 3;
        AssertValid();
        return room.Slice(1, text.Length);
    }

    // Not one compound assignment: that would add to the position of the previous stretch.
    private void Header(byte type, long number)
    {
        var room = Reserve(RespHeader.LengthMax);
        _position += RespHeader.Write(room, type, number);
        AssertValid();
    }

    private Span<byte> Reserve(int bytes)
    {
        if (_end - _position < bytes)
            NextStretch(bytes);
        return _array.AsSpan(_position, _end - _position);
    }

    [Conditional("DEBUG")]
    private void AssertValid()
    {
        Debug.Assert(_start >= 0 && _start <= _position);
        Debug.Assert(_position <= _end);
        Debug.Assert(_end <= _array.Length);
    }

    private void NextStretch(int bytes)
    {
        Commit();
        var memory = Output.GetMemory(Math.Max(bytes, StretchBytes));
        if (!MemoryMarshal.TryGetArray<byte>(memory, out var stretch))
            throw new NotSupportedException("The output pipe's memory pool must be one of arrays.");
        _array = stretch.Array!;
        _start = _position = stretch.Offset;
        _end = stretch.Offset + stretch.Count;
        Debug.Assert(_end - _position >= bytes, "A pipe gives at least what it is asked for.");
    }
}
