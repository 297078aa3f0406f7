using System.Globalization;
using System.Text;

namespace Cache.Durability.Rdb;

/// <summary>
/// Reads the strings of an RDB file of Redis up to 7.0, and its collections if they are asked for; counts its other
/// content.
/// </summary>
/// <remarks>
/// With any content, reading a file ends: after its entries, or with the offset and the reason why it is refused.
/// Entries are returned before the checksum at the end is checked: to take nothing from a damaged file, read it twice.
/// One thread at a time.
/// </remarks>
internal sealed class RdbReader
{
    // The longest text about the file itself that is kept.
    private const int AuxiliaryLengthMax = 256;

    // More kinds than any Redis has; a hostile file may name any number of modules.
    private const int SkippedNamesMax = 64;
    private const string OtherNames = "others";

    // Redis writes about ten of them, and modules add some.
    private const int AuxiliariesMax = 64;

    private readonly RdbSource _source;
    private readonly RdbStrings _strings;
    private readonly RdbSkipper _skipper;
    private readonly RdbValues? _values;
    private readonly RdbRawValues? _raw;
    private readonly Dictionary<string, string> _auxiliaries = [];
    private readonly SortedDictionary<string, long> _skipped = new(StringComparer.Ordinal);

    private byte[] _key = [];
    private byte[] _value = [];
    private int _database;
    private long? _expiresAtMs;
    private bool _isOver;

    /// <param name="stream">The file.</param>
    /// <param name="elements">Receives the strings of collections; null: collections are counted.</param>
    /// <param name="streams">Receives streams; null: they are counted.</param>
    /// <exception cref="RdbFormatException">The stream does not begin like a supported RDB file.</exception>
    public RdbReader(Stream stream, RdbElements? elements = null, IRdbStreamSink? streams = null)
    {
        _source = new RdbSource(stream);
        _strings = new RdbStrings(_source);
        _skipper = new RdbSkipper(_source, _strings);
        if (elements is not null)
            _values = new RdbValues(_source, _strings, elements, streams);
        Elements = elements;
        Version = ReadHeader();
    }

    /// <summary>A reader of values of all types as they are.</summary>
    /// <param name="stream">The file.</param>
    /// <param name="keptMax">The bytes from which on a collection is read in parts.</param>
    public RdbReader(Stream stream, int keptMax)
        : this(stream) => _raw = new RdbRawValues(_source, _strings, _skipper, keptMax);

    public int Version { get; }

    /// <summary>Of the last entry, if it is a collection.</summary>
    public RdbElements? Elements { get; }

    /// <summary>The number of bytes read.</summary>
    public long Offset => _source.Offset;

    /// <summary>Whether the file had a checksum, and it was right; <c>rdbchecksum no</c> omits it.</summary>
    public bool IsChecksummed { get; private set; }

    /// <summary>The texts about the file itself, such as <c>redis-ver</c>.</summary>
    public IReadOnlyDictionary<string, string> Auxiliaries => _auxiliaries;

    /// <summary>Gets the text of each library of functions; null: they are skipped.</summary>
    public Action<byte[]>? FunctionsRead { get; init; }

    /// <summary>The numbers of skipped items: entries by type, libraries of functions, data of modules.</summary>
    public IReadOnlyDictionary<string, long> Skipped => _skipped;

    /// <summary>Reads the last value, if it is in parts.</summary>
    /// <param name="partBytes">The bytes of its strings that make a part, at the least.</param>
    /// <param name="take">Gets each part.</param>
    public void ReadParts(int partBytes, Action<RdbElements> take) => _raw!.ReadParts(partBytes, take);

    /// <summary>Reads the next entry; false after the last entry.</summary>
    /// <exception cref="RdbFormatException">The file is damaged here, or in its checksum.</exception>
    public bool TryRead(out RdbEntry entry)
    {
        _raw?.Finish(_source.Offset);
        while (!_isOver)
        {
            long at = _source.Offset;
            byte first = _source.ReadByte();
            if (TryReadOpcode((RdbOpcode)first, at))
                continue;
            var type = (RdbType)first;
            if (RdbSkipper.NameOf(type) is null)
                throw new RdbFormatException(at, $"the byte {first} is no type of Redis 7.0.");
            var key = _strings.Read(ref _key);
            long? expiresAtMs = _expiresAtMs;
            _expiresAtMs = null;
            if (_raw is not null)
            {
                var state = _raw.Read(type, at);
                entry = new RdbEntry(_database, key, _raw.Value, expiresAtMs) { Type = type, State = state };
                return true;
            }

            if (type == RdbType.String)
            {
                entry = new RdbEntry(_database, key, _strings.Read(ref _value), expiresAtMs);
                return true;
            }

            if (_values is not null && _values.TryRead(type, out var kind))
            {
                entry = new RdbEntry(_database, key, default, expiresAtMs) { Kind = kind };
                return true;
            }

            CountSkipped(_skipper.SkipValue(type, at));
        }

        entry = default;
        return false;
    }

    private bool TryReadOpcode(RdbOpcode opcode, long at)
    {
        switch (opcode)
        {
            case RdbOpcode.ExpiresAtMs:
                _expiresAtMs = (long)_source.ReadUInt64LittleEndian();
                return true;
            case RdbOpcode.ExpiresAtSeconds:
                _expiresAtMs = (int)_source.ReadUInt32LittleEndian() * 1000L;
                return true;
            case RdbOpcode.SelectDatabase:
                long database = _strings.ReadLength();
                if (database > int.MaxValue)
                    throw new RdbFormatException(at, $"a database {database}.");
                _database = (int)database;
                return true;
            case RdbOpcode.Idle:
                _ = _strings.ReadLength();
                return true;
            case RdbOpcode.Frequency:
                _ = _source.ReadByte();
                return true;
            case RdbOpcode.ResizeDatabase:
                _ = _strings.ReadLength();
                _ = _strings.ReadLength();
                return true;
            case RdbOpcode.Auxiliary:
                ReadAuxiliary();
                return true;
            case RdbOpcode.Function:
                ReadFunctions();
                return true;
            case RdbOpcode.ModuleData:
                CountSkipped($"data of module {_skipper.SkipModuleData()}");
                return true;
            case RdbOpcode.End:
                ReadEnd();
                return true;
            default:
                return false;
        }
    }

    private void ReadFunctions()
    {
        if (FunctionsRead is { } take)
        {
            take(_strings.Read(ref _value).ToArray());
            return;
        }

        _strings.Skip();
        CountSkipped("library of functions");
    }

    private int ReadHeader()
    {
        Span<byte> header = stackalloc byte[RdbFormat.HeaderLength];
        foreach (ref byte next in header)
        {
            if (_source.IsAtEnd)
                throw new RdbFormatException(_source.Offset, "the file is shorter than the header of an RDB file.");
            next = _source.ReadByte();
        }

        if (!header.StartsWith(RdbFormat.Magic))
            throw new RdbFormatException(0, "the file does not begin with \"REDIS\": it is no RDB file.");
        var digits = header[RdbFormat.Magic.Length..];
        if (digits.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
            throw new RdbFormatException(RdbFormat.Magic.Length, "four digits of a version are expected.");
        int version = int.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture);
        return version is >= 1 and <= RdbFormat.VersionMax
            ? version
            : throw new RdbFormatException(
                RdbFormat.Magic.Length,
                $"the RDB version {version}; versions 1 to {RdbFormat.VersionMax} (Redis 7.0) can be read.");
    }

    private void ReadAuxiliary()
    {
        var name = _strings.Read(ref _key);
        var text = _strings.Read(ref _value);
        bool isShort = name.Length <= AuxiliaryLengthMax && text.Length <= AuxiliaryLengthMax;
        if (isShort && _auxiliaries.Count < AuxiliariesMax)
            _auxiliaries[Encoding.UTF8.GetString(name.Span)] = Encoding.UTF8.GetString(text.Span);
    }

    private void ReadEnd()
    {
        if (Version >= RdbFormat.ChecksumVersion)
        {
            ulong expected = _source.Checksum;
            long at = _source.Offset;
            ulong found = _source.ReadUInt64LittleEndian();
            if (found != 0 && found != expected)
                throw new RdbFormatException(at, $"the checksum is {found:x16}, that of the file {expected:x16}.");
            IsChecksummed = found != 0;
        }

        if (!_source.IsAtEnd)
            throw new RdbFormatException(_source.Offset, "bytes follow the end.");
        _isOver = true;
    }

    private void CountSkipped(string name)
    {
        if (_skipped.Count >= SkippedNamesMax && !_skipped.ContainsKey(name))
            name = OtherNames;
        _skipped[name] = _skipped.GetValueOrDefault(name) + 1;
    }
}
