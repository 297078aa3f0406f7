using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Cache.Durability.Rdb;

/// <summary>Reads collections, in every encoding of Redis 7.0 and of those before it.</summary>
/// <remarks>
/// Each turn of a loop consumes at least one byte: no count causes more work than the length of the file.
/// </remarks>
internal sealed class RdbCollections(RdbSource source, RdbStrings strings, RdbElements elements)
{
    // Of a score that was written as text: its length, or what it is.
    private const int TextNan = 253;
    private const int TextInfinity = 254;
    private const int TextNegativeInfinity = 255;

    private const int PlainNode = 1;
    private const int PackedNode = 2;

    private readonly RdbElements _pairs = elements.ForPairs();
    private readonly byte[] _score = new byte[byte.MaxValue];
    private byte[] _text = [];

    /// <summary>The memory that it has beside the elements.</summary>
    public long HeldBytes => _text.Length + _pairs.HeldBytes;

    /// <summary>Forgets its memory.</summary>
    public void Trim()
    {
        _text = [];
        _pairs.Trim();
    }

    /// <summary>The kind of a type; null if it is none that is read here.</summary>
    public static RdbKind? KindOf(RdbType type) => type switch
    {
        RdbType.List or RdbType.ListZiplist or RdbType.ListQuicklist or RdbType.ListQuicklist2 => RdbKind.List,
        RdbType.Set or RdbType.SetIntset => RdbKind.Set,
        RdbType.Hash or RdbType.HashZipmap or RdbType.HashZiplist or RdbType.HashListpack => RdbKind.Hash,
        RdbType.SortedSet or RdbType.SortedSetText or RdbType.SortedSetZiplist or RdbType.SortedSetListpack =>
            RdbKind.SortedSet,
        _ => null,
    };

    /// <summary>Reads a collection into the elements.</summary>
    /// <exception cref="RdbFormatException">It is damaged.</exception>
    public void Read(RdbType type)
    {
        elements.Clear();
        switch (type)
        {
            case RdbType.List or RdbType.Set:
                ReadStrings(1);
                break;
            case RdbType.Hash:
                ReadStrings(2);
                break;
            case RdbType.SortedSet or RdbType.SortedSetText:
                ReadMembers(isText: type == RdbType.SortedSetText);
                break;
            case RdbType.ListQuicklist:
                for (long count = strings.ReadLength(); count > 0; count--, elements.EndItem())
                    ReadPacked(RdbZiplist.TryRead, "ziplist");
                break;
            case RdbType.ListQuicklist2:
                ReadNodes();
                break;
            case RdbType.HashZipmap:
                ReadPacked(RdbZipmap.TryRead, "zipmap");
                break;
            case RdbType.SetIntset:
                ReadPacked(RdbIntset.TryRead, "intset");
                break;
            case RdbType.ListZiplist or RdbType.HashZiplist:
                ReadPacked(RdbZiplist.TryRead, "ziplist");
                break;
            case RdbType.HashListpack:
                ReadPacked(RdbListpack.TryRead, "listpack");
                break;
            case RdbType.SortedSetZiplist:
                ReadPackedMembers(RdbZiplist.TryRead, "ziplist");
                break;
            case RdbType.SortedSetListpack:
                ReadPackedMembers(RdbListpack.TryRead, "listpack");
                break;
            default:
                ThrowNoCollection(type);
                break;
        }

        if (KindOf(type) == RdbKind.Hash && elements.Count % 2 != 0)
            throw new RdbFormatException(source.Offset, "a hash has a field without a value.");
    }

    private delegate bool PackReader(ReadOnlySpan<byte> pack, RdbElements elements);

    private void ReadStrings(int stringsEach)
    {
        for (long count = strings.ReadLength(); count > 0; count--, elements.EndItem())
        {
            for (int i = 0; i < stringsEach; i++)
                elements.Add(strings.Read(ref _text).Span);
        }
    }

    private void ReadPacked(PackReader read, string form)
    {
        long at = source.Offset;
        if (!read(strings.Read(ref _text).Span, elements))
            throw new RdbFormatException(at, $"a packed value ({form}) is damaged.");
    }

    private void ReadNodes()
    {
        for (long count = strings.ReadLength(); count > 0; count--, elements.EndItem())
        {
            long at = source.Offset;
            switch (strings.ReadLength())
            {
                case PlainNode:
                    elements.Add(strings.Read(ref _text).Span);
                    break;
                case PackedNode:
                    ReadPacked(RdbListpack.TryRead, "listpack");
                    break;
                default:
                    throw new RdbFormatException(at, "a node of a list is neither plain nor packed.");
            }
        }
    }

    private void ReadMembers(bool isText)
    {
        for (long count = strings.ReadLength(); count > 0; count--, elements.EndItem())
        {
            elements.Add(strings.Read(ref _text).Span);
            long at = source.Offset;
            double score = isText
                ? ReadTextScore()
                : BitConverter.UInt64BitsToDouble(source.ReadUInt64LittleEndian());
            AddScore(score, at);
        }
    }

    private double ReadTextScore()
    {
        int length = source.ReadByte();
        return length switch
        {
            TextNan => double.NaN,
            TextInfinity => double.PositiveInfinity,
            TextNegativeInfinity => double.NegativeInfinity,
            _ => ScoreOf(source.Read(_score.AsSpan(0, length))),
        };
    }

    // Members and scores in turn.
    private void ReadPackedMembers(PackReader read, string form)
    {
        long at = source.Offset;
        _pairs.Clear();
        if (!read(strings.Read(ref _text).Span, _pairs) || _pairs.Count % 2 != 0)
            throw new RdbFormatException(at, $"a packed value ({form}) is damaged.");
        if (_pairs.IsTooLong)
            elements.GiveUp();
        for (int i = 0; i < _pairs.Count && !elements.IsTooLong; i += 2)
        {
            elements.Add(_pairs[i]);
            AddScore(ScoreOf(_pairs[i + 1]), at);
        }
    }

    private void AddScore(double score, long at)
    {
        if (double.IsNaN(score))
            throw new RdbFormatException(at, "a score is no number.");
        elements.AddScore(score);
    }

    private static double ScoreOf(ReadOnlySpan<byte> text)
    {
        if (Ascii.EqualsIgnoreCase(text, "inf"u8))
            return double.PositiveInfinity;
        if (Ascii.EqualsIgnoreCase(text, "-inf"u8))
            return double.NegativeInfinity;
        const NumberStyles Style =
            NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        bool isNumber = double.TryParse(text, Style, CultureInfo.InvariantCulture, out double score);
        return isNumber ? score : double.NaN;
    }

    [DoesNotReturn]
    private static void ThrowNoCollection(RdbType type) =>
        throw new ArgumentOutOfRangeException(nameof(type), type, "Not a type of a collection.");
}
