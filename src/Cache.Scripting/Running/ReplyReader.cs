using System.Buffers.Text;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Scripting.Native;

namespace Cache.Scripting.Running;

/// <summary>Pushes the reply of a command as the value that a script gets.</summary>
internal ref struct ReplyReader(nint state, ReadOnlySpan<byte> reply)
{
    // A line of the reply, an element of a table, its key, and some to spare.
    private const int SlotsPerLevel = 8;

    private readonly ReadOnlySpan<byte> _reply = reply;
    private int _at;

    /// <summary>The text of a reply that is an error; empty: it is another one.</summary>
    public readonly ReadOnlySpan<byte> Error =>
        _reply[0] == '-' ? _reply[1.._reply.IndexOf("\r\n"u8)] : default;

    /// <summary>Pushes the next value.</summary>
    /// <returns>False: Lua's stack has no room, and nothing was pushed.</returns>
    public bool TryPush()
    {
        if (LuaApi.CheckStack(state, SlotsPerLevel) == 0)
            return false;
        byte type = _reply[_at++];
        var line = ReadLine();
        switch ((char)type)
        {
            case '+':
                PushField("ok"u8, line);
                break;
            case '-':
                PushField("err"u8, line);
                break;
            case ':':
                LuaApi.PushNumber(state, ReadInteger(line));
                break;
            case '$':
                PushBulk(line);
                break;
            case '_':
                LuaApi.PushNil(state);
                break;
            case '#':
                LuaApi.PushBoolean(state, line[0] == 't' ? 1 : 0);
                break;
            case '(':
                PushField("big_number"u8, line);
                break;
            case ',':
                PushDouble(line);
                break;
            case '=':
                PushVerbatim(line);
                break;
            default:
                return TryPushMany((char)type, (int)ReadInteger(line));
        }

        return true;
    }

    private bool TryPushMany(char type, int count)
    {
        if (count < 0)
        {
            LuaApi.PushBoolean(state, 0);
            return true;
        }

        if (type is '%' or '~')
            return TryPushNamed(type, count);
        LuaApi.CreateTable(state, count, 0);
        int table = LuaApi.GetTop(state);
        for (int i = 1; i <= count; i++)
        {
            if (!TryPush())
                return Undo(table);
            LuaApi.RawSetItem(state, table, i);
        }

        return true;
    }

    // {map = {key = value}} or {set = {member = true}}
    private bool TryPushNamed(char type, int count)
    {
        LuaApi.CreateTable(state, 0, 1);
        int whole = LuaApi.GetTop(state);
        LuaValues.Push(state, type == '%' ? "map"u8 : "set"u8);
        LuaApi.CreateTable(state, 0, count);
        int table = LuaApi.GetTop(state);
        for (int i = 0; i < count; i++)
        {
            if (!TryPush())
                return Undo(whole);
            if (type == '~')
                LuaApi.PushBoolean(state, 1);
            else if (!TryPush())
                return Undo(whole);
            if (LuaApi.TypeOf(state, -2) == LuaType.Nil)
                LuaApi.SetTop(state, table); // No key of a table.
            else
                LuaApi.RawSet(state, table);
        }

        LuaApi.RawSet(state, whole);
        return true;
    }

    private readonly bool Undo(int first)
    {
        LuaApi.SetTop(state, first - 1);
        return false;
    }

    private void PushBulk(ReadOnlySpan<byte> line)
    {
        int length = (int)ReadInteger(line);
        if (length < 0)
        {
            LuaApi.PushBoolean(state, 0);
            return;
        }

        LuaValues.Push(state, _reply.Slice(_at, length));
        _at += length + 2;
    }

    private readonly void PushField(ReadOnlySpan<byte> name, ReadOnlySpan<byte> text)
    {
        LuaApi.CreateTable(state, 0, 1);
        LuaValues.Push(state, name);
        LuaValues.Push(state, text);
        LuaApi.RawSet(state, -3);
    }

    private readonly void PushDouble(ReadOnlySpan<byte> line)
    {
        LuaApi.CreateTable(state, 0, 1);
        LuaValues.Push(state, "double"u8);
        LuaApi.PushNumber(state, ReadDouble(line));
        LuaApi.RawSet(state, -3);
    }

    // {verbatim_string = {format = "txt", string = text}}
    private void PushVerbatim(ReadOnlySpan<byte> line)
    {
        const int FormatLength = 3;
        int length = (int)ReadInteger(line);
        var text = _reply.Slice(_at, length);
        _at += length + 2;
        LuaApi.CreateTable(state, 0, 1);
        LuaValues.Push(state, "verbatim_string"u8);
        LuaApi.CreateTable(state, 0, 2);
        LuaValues.Push(state, "format"u8);
        LuaValues.Push(state, text[..FormatLength]);
        LuaApi.RawSet(state, -3);
        LuaValues.Push(state, "string"u8);
        LuaValues.Push(state, text[(FormatLength + 1)..]);
        LuaApi.RawSet(state, -3);
        LuaApi.RawSet(state, -3);
    }

    private ReadOnlySpan<byte> ReadLine()
    {
        var rest = _reply[_at..];
        int length = rest.IndexOf("\r\n"u8);
        _at += length + 2;
        return rest[..length];
    }

    private static long ReadInteger(ReadOnlySpan<byte> line)
    {
        bool isRead = Utf8Parser.TryParse(line, out long number, out int length);
        Debug.Assert(isRead && length == line.Length, "This server wrote it.");
        return number;
    }

    private static double ReadDouble(ReadOnlySpan<byte> line)
    {
        if (line.SequenceEqual("inf"u8))
            return double.PositiveInfinity;
        if (line.SequenceEqual("-inf"u8))
            return double.NegativeInfinity;
        return double.TryParse(line, NumberStyles.Float, CultureInfo.InvariantCulture, out double number)
            ? number
            : double.NaN;
    }
}
