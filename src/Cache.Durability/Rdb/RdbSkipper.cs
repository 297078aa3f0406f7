using System.Diagnostics;

namespace Cache.Durability.Rdb;

/// <summary>Skips values that are not strings, in every encoding of Redis 7.0, and names their types.</summary>
/// <remarks>
/// Each turn of a loop consumes at least one byte: no count causes more work than the length of the file.
/// </remarks>
internal sealed class RdbSkipper
{
    private const string ModuleLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private const int ModuleNameLength = 9;
    private const int ModuleVersionBits = 10;
    private const int StreamIdLength = 16;
    private const int TimeLength = sizeof(long);

    private readonly RdbSource _source;
    private readonly RdbStrings _strings;

    public RdbSkipper(RdbSource source, RdbStrings strings)
    {
        _source = source;
        _strings = strings;
    }

    /// <summary>Skips a value, and returns its type as TYPE names it.</summary>
    public string SkipValue(RdbType type, long at)
    {
        switch (type)
        {
            case var _ when IsSequence(type):
                for (long count = _strings.ReadLength(); count > 0; count--)
                    SkipItem(type);
                break;
            case RdbType.Stream or RdbType.Stream2 or RdbType.Stream3:
                SkipStream(type != RdbType.Stream, type == RdbType.Stream3);
                break;
            case RdbType.Module:
                return SkipModule();
            default:
                Debug.Assert(IsOneString(type));
                _strings.Skip();
                break;
        }

        return NameOf(type) ?? throw new RdbFormatException(at, $"the type {(int)type} is not one of Redis 7.0.");
    }

    /// <summary>Whether a value of a type is a count and so many items.</summary>
    public static bool IsSequence(RdbType type) => type
        is RdbType.List or RdbType.Set or RdbType.Hash or RdbType.SortedSet or RdbType.SortedSetText
        or RdbType.ListQuicklist or RdbType.ListQuicklist2;

    /// <summary>Skips an item of a sequence.</summary>
    public void SkipItem(RdbType type)
    {
        long at = _source.Offset;
        if (type == RdbType.ListQuicklist2 && _strings.ReadLength() is not (1 or 2))
            throw new RdbFormatException(at, "a node of a list is neither plain nor packed.");
        _strings.Skip();
        if (type == RdbType.Hash)
            _strings.Skip();
        else if (type == RdbType.SortedSet)
            _source.Skip(sizeof(double));
        else if (type == RdbType.SortedSetText)
            SkipScore();
    }

    /// <summary>The type as TYPE names it; null for one that Redis 7.0 does not have.</summary>
    public static string? NameOf(RdbType type) => type switch
    {
        RdbType.String => "string",
        RdbType.List or RdbType.ListZiplist or RdbType.ListQuicklist or RdbType.ListQuicklist2 => "list",
        RdbType.Set or RdbType.SetIntset => "set",
        RdbType.Hash or RdbType.HashZipmap or RdbType.HashZiplist or RdbType.HashListpack => "hash",
        RdbType.SortedSet or RdbType.SortedSetText or RdbType.SortedSetZiplist or RdbType.SortedSetListpack => "zset",
        RdbType.Stream or RdbType.Stream2 or RdbType.Stream3 => "stream",
        RdbType.Module => "module",
        _ => null,
    };

    /// <summary>Skips the data that a module keeps beside the keys, and returns the module's name.</summary>
    public string SkipModuleData()
    {
        string name = NameOfModule(_strings.ReadNumber());
        long at = _source.Offset;
        if (_strings.ReadNumber() != (ulong)RdbModuleOpcode.UInt)
            throw new RdbFormatException(at, "the data of a module do not begin with their moment.");
        _ = _strings.ReadNumber();
        SkipModuleValue();
        return name;
    }

    private static bool IsOneString(RdbType type) => type
        is RdbType.HashZipmap or RdbType.ListZiplist or RdbType.SetIntset or RdbType.SortedSetZiplist
        or RdbType.HashZiplist or RdbType.HashListpack or RdbType.SortedSetListpack;

    private void SkipStrings(long count)
    {
        for (; count > 0; count--)
            _strings.Skip();
    }

    // A number as text after its length, or one of three lengths for infinities and NaN.
    private void SkipScore()
    {
        int length = _source.ReadByte();
        if (length < 253)
            _source.Skip(length);
    }

    private void SkipStream(bool isSecond, bool isThird)
    {
        // Nodes by their first id; then the length, the last, first and greatest deleted id, and the number of added
        // entries.
        for (long count = _strings.ReadLength(); count > 0; count--)
            SkipStrings(2);
        SkipNumbers(isSecond ? 8 : 3);
        for (long groups = _strings.ReadLength(); groups > 0; groups--)
        {
            _strings.Skip();
            SkipNumbers(isSecond ? 3 : 2);
            for (long pending = _strings.ReadLength(); pending > 0; pending--)
            {
                _source.Skip(StreamIdLength + TimeLength);
                SkipNumbers(1);
            }

            for (long consumers = _strings.ReadLength(); consumers > 0; consumers--)
            {
                _strings.Skip();
                _source.Skip(isThird ? 2 * TimeLength : TimeLength);
                for (long pending = _strings.ReadLength(); pending > 0; pending--)
                    _source.Skip(StreamIdLength);
            }
        }
    }

    private void SkipNumbers(int count)
    {
        for (; count > 0; count--)
            _ = _strings.ReadNumber();
    }

    private string SkipModule()
    {
        string name = NameOfModule(_strings.ReadNumber());
        SkipModuleValue();
        return $"module {name}";
    }

    private void SkipModuleValue()
    {
        while (true)
        {
            long at = _source.Offset;
            switch ((RdbModuleOpcode)_strings.ReadNumber())
            {
                case RdbModuleOpcode.End:
                    return;
                case RdbModuleOpcode.Int or RdbModuleOpcode.UInt:
                    _ = _strings.ReadNumber();
                    break;
                case RdbModuleOpcode.Float:
                    _source.Skip(sizeof(float));
                    break;
                case RdbModuleOpcode.Double:
                    _source.Skip(sizeof(double));
                    break;
                case RdbModuleOpcode.String:
                    _strings.Skip();
                    break;
                default:
                    throw new RdbFormatException(at, "the data of a module have an unknown part.");
            }
        }
    }

    // Nine letters of six bits, and ten bits of a version.
    private static string NameOfModule(ulong id)
    {
        Span<char> name = stackalloc char[ModuleNameLength];
        id >>= ModuleVersionBits;
        for (int i = name.Length - 1; i >= 0; i--, id >>= 6)
            name[i] = ModuleLetters[(int)(id & 63)];
        return new string(name);
    }
}
