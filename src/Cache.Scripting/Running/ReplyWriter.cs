using System.Text;
using Cache.Scripting.Native;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>Writes the value that a script returns as a reply.</summary>
/// <remarks>
/// No metamethod is called. What a table becomes is written apart first: a table that contains itself has no end, and
/// the reply must be one whole frame or an error.
/// </remarks>
internal sealed class ReplyWriter
{
    // Tables within tables. Each level takes a frame of the thread's stack, and slots of Lua's.
    private const int DepthMax = 1000;

    // A value, its key, a field, and some to spare.
    private const int SlotsPerLevel = 8;

    // A table, however short its reply, takes as much time as so many bytes of a text.
    private const long TableBytes = 32;

    private readonly CollectingPipeWriter _output = new();
    private readonly RespReplyWriter _apart;
    private byte[] _buffer = new byte[512];
    private bool _hasBooleans;
    private IScriptHost? _host;
    private int _repeatedErrors;
    private int _newErrors;
    private long _bytesMax;

    public ReplyWriter() => _apart = new RespReplyWriter(_output);

    /// <summary>Writes the value on top of the stack.</summary>
    /// <param name="state">The state.</param>
    /// <param name="host">What the script runs with.</param>
    /// <param name="reply">Gets exactly one reply.</param>
    public void Write(nint state, IScriptHost host, RespReplyWriter reply)
    {
        _host = host;
        _hasBooleans = host.ProtocolVersion == 3; // Chosen by the script: in RESP3 they stay what they are.
        _bytesMax = host.ReplyBytesMax;
        if (LuaApi.TypeOf(state, -1) != LuaType.Table)
        {
            TryWrite(state, reply, depth: 0);
            return;
        }

        if (FindText(state, "err"u8, out var text))
        {
            WriteError(text, IsRepeated(state), reply); // Here, so that it counts as one.
            return;
        }

        _output.Clear();
        _repeatedErrors = _newErrors = 0;
        _apart.ProtocolVersion = reply.ProtocolVersion;
        bool isWhole = TryWrite(state, _apart, depth: 0);
        _apart.BeginFlush();
        reply.NoteErrors(_repeatedErrors, _newErrors);
        if (isWhole)
            reply.Literal(_output.Written);
        else
            reply.Error("ERR reached lua stack limit"u8);
        _output.Clear();
    }

    /// <summary>Writes an error whose text begins with its code.</summary>
    /// <param name="text">The text.</param>
    /// <param name="isRepeated">Whether a command has replied it before.</param>
    /// <param name="reply">Gets it.</param>
    public static void WriteError(ReadOnlySpan<byte> text, bool isRepeated, RespReplyWriter reply)
    {
        text = UpToNul(text).Trim("\r\n"u8);
        reply.Error(text.IsEmpty ? "ERR"u8 : text);
        if (isRepeated)
            reply.NoteRepeatedError();
    }

    /// <summary>A text as C has it: it ends before a zero byte.</summary>
    public static ReadOnlySpan<byte> UpToNul(ReadOnlySpan<byte> text)
    {
        int length = text.IndexOf((byte)0);
        return length < 0 ? text : text[..length];
    }

    /// <summary>Whether the error that is the table on top of the stack is one that a command has replied.</summary>
    public static bool IsRepeated(nint state)
    {
        LuaValues.Push(state, "ignore_error_stats_update"u8); // Redis's name: scripts see it.
        bool isRepeated = LuaApi.RawGet(state, -2) == LuaType.Boolean && LuaApi.ToBoolean(state, -1) != 0;
        LuaApi.SetTop(state, -2);
        return isRepeated;
    }

    private bool TryWrite(nint state, RespReplyWriter reply, int depth)
    {
        switch (LuaApi.TypeOf(state, -1))
        {
            case LuaType.Text:
                return TryWriteText(LuaValues.Read(state, -1, ref _buffer), reply, depth);
            case LuaType.Number:
                reply.Integer(ToInteger(LuaApi.ToNumber(state, -1, 0)));
                return true;
            case LuaType.Boolean:
                WriteBoolean(LuaApi.ToBoolean(state, -1) != 0, reply);
                return true;
            case LuaType.Table:
                return depth < DepthMax && LuaApi.CheckStack(state, SlotsPerLevel) != 0
                    && reply.UnflushedBytes < (_bytesMax -= TableBytes) && TryWriteTable(state, reply, depth + 1);
            default:
                reply.Null();
                return true;
        }
    }

    // A table may name a long text again and again; a text alone is as long as it is.
    private bool TryWriteText(ReadOnlySpan<byte> text, RespReplyWriter reply, int depth)
    {
        if (depth > 0 && text.Length > _bytesMax - reply.UnflushedBytes)
            return false;
        reply.Bulk(text);
        return true;
    }

    // As a processor of the x86 family converts: what does not fit becomes the least number.
    private static long ToInteger(double number) =>
        number is >= -9223372036854775808.0 and < 9223372036854775808.0 ? (long)number : long.MinValue;

    private void WriteBoolean(bool value, RespReplyWriter reply)
    {
        if (!_hasBooleans && !value)
            reply.Null();
        else if (_hasBooleans && reply.IsResp3)
            reply.Literal(value ? "#t\r\n"u8 : "#f\r\n"u8);
        else
            reply.Literal(value ? ":1\r\n"u8 : ":0\r\n"u8);
    }

    private bool TryWriteTable(nint state, RespReplyWriter reply, int depth)
    {
        if (FindText(state, "err"u8, out var text))
            WriteErrorWithin(text, IsRepeated(state), reply);
        else if (FindText(state, "ok"u8, out text))
            WriteStatus(text, reply);
        else if (FindNumber(state, out double number))
            WriteDouble(number, reply);
        else if (FindTable(state, "map"u8))
            return TryWriteMap(state, reply, depth);
        else if (FindTable(state, "set"u8))
            return TryWriteSet(state, reply, depth);
        else if (FindText(state, "big_number"u8, out text))
            WriteBigNumber(text, reply);
        else if (!TryWriteVerbatim(state, reply))
            return TryWriteArray(state, reply, depth);
        return true;
    }

    private void WriteErrorWithin(ReadOnlySpan<byte> text, bool isRepeated, RespReplyWriter reply)
    {
        WriteError(text, isRepeated, reply);
        _repeatedErrors += isRepeated ? 1 : 0;
        _newErrors += isRepeated ? 0 : 1;
        if (!isRepeated)
            _host!.CountError(reply.ErrorCode);
    }

    private bool TryWriteArray(nint state, RespReplyWriter reply, int depth)
    {
        int table = LuaApi.GetTop(state);
        long count = 0;
        while (LuaApi.RawGetItem(state, table, count + 1) != LuaType.Nil)
        {
            count++;
            LuaApi.SetTop(state, table);
        }

        LuaApi.SetTop(state, table);
        reply.ArrayHeader(count);
        for (long i = 1; i <= count; i++)
        {
            LuaApi.RawGetItem(state, table, i);
            if (!TryWrite(state, reply, depth))
                return false;
            LuaApi.SetTop(state, table);
        }

        return true;
    }

    private bool TryWriteMap(nint state, RespReplyWriter reply, int depth)
    {
        int table = LuaApi.GetTop(state);
        reply.MapHeader(CountPairs(state, table));
        LuaApi.PushNil(state);
        while (LuaApi.Next(state, table) != 0)
        {
            LuaApi.PushValue(state, -2);
            if (!TryWrite(state, reply, depth))
                return false;
            LuaApi.SetTop(state, table + 2);
            if (!TryWrite(state, reply, depth))
                return false;
            LuaApi.SetTop(state, table + 1);
        }

        LuaApi.SetTop(state, table - 1);
        return true;
    }

    private bool TryWriteSet(nint state, RespReplyWriter reply, int depth)
    {
        int table = LuaApi.GetTop(state);
        reply.SetHeader(CountPairs(state, table));
        LuaApi.PushNil(state);
        while (LuaApi.Next(state, table) != 0)
        {
            LuaApi.PushValue(state, -2);
            if (!TryWrite(state, reply, depth))
                return false;
            LuaApi.SetTop(state, table + 1);
        }

        LuaApi.SetTop(state, table - 1);
        return true;
    }

    // False if it is none.
    private bool TryWriteVerbatim(nint state, RespReplyWriter reply)
    {
        if (!FindTable(state, "verbatim_string"u8))
            return false;
        Span<byte> format = stackalloc byte[3];
        format.Fill((byte)' ');
        int table = LuaApi.GetTop(state);
        bool isVerbatim = FindText(state, "format"u8, out var text);
        if (isVerbatim)
        {
            text = UpToNul(text);
            text[..Math.Min(text.Length, format.Length)].CopyTo(format);
            isVerbatim = FindText(state, "string"u8, out text);
        }

        if (isVerbatim)
            reply.VerbatimText(text, format);
        LuaApi.SetTop(state, table - 1);
        return isVerbatim;
    }

    private static int CountPairs(nint state, int table)
    {
        int count = 0;
        LuaApi.PushNil(state);
        while (LuaApi.Next(state, table) != 0)
        {
            LuaApi.SetTop(state, table + 1);
            count++;
        }

        return count;
    }

    private bool FindText(nint state, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> text)
    {
        LuaValues.Push(state, name);
        bool isText = LuaApi.RawGet(state, -2) == LuaType.Text;
        text = isText ? LuaValues.Read(state, -1, ref _buffer) : default;
        LuaApi.SetTop(state, -2);
        return isText;
    }

    private static bool FindNumber(nint state, out double number)
    {
        LuaValues.Push(state, "double"u8);
        bool isNumber = LuaApi.RawGet(state, -2) == LuaType.Number;
        number = isNumber ? LuaApi.ToNumber(state, -1, 0) : 0;
        LuaApi.SetTop(state, -2);
        return isNumber;
    }

    // Leaves the table of the field on the stack if there is one.
    private static bool FindTable(nint state, ReadOnlySpan<byte> name)
    {
        LuaValues.Push(state, name);
        if (LuaApi.RawGet(state, -2) == LuaType.Table)
            return true;
        LuaApi.SetTop(state, -2);
        return false;
    }

    private static void WriteDouble(double number, RespReplyWriter reply)
    {
        if (double.IsNaN(number))
            reply.DoubleText(double.IsNegative(number) ? "-nan"u8 : "nan"u8);
        else
            reply.Double(number);
    }

    // As in Redis: a text of C.
    private static void WriteStatus(ReadOnlySpan<byte> text, RespReplyWriter reply) =>
        reply.SimpleString(ToLine(UpToNul(text)));

    private static void WriteBigNumber(ReadOnlySpan<byte> text, RespReplyWriter reply)
    {
        var digits = ToLine(text);
        if (reply.IsResp3)
            reply.Literal([(byte)'(', .. digits, (byte)'\r', (byte)'\n']);
        else
            reply.Bulk(digits);
    }

    // What would end a line becomes a space.
    private static ReadOnlySpan<byte> ToLine(ReadOnlySpan<byte> text)
    {
        if (text.IndexOfAny((byte)'\r', (byte)'\n') < 0)
            return text;
        byte[] line = text.ToArray();
        line.AsSpan().Replace((byte)'\r', (byte)' ');
        line.AsSpan().Replace((byte)'\n', (byte)' ');
        return line;
    }
}
