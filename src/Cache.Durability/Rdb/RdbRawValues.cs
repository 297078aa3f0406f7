namespace Cache.Durability.Rdb;

/// <summary>Reads values as their bytes are, which is what a payload has too; long collections in parts.</summary>
/// <param name="source">The bytes.</param>
/// <param name="strings">Their strings.</param>
/// <param name="skipper">Finds the end of a value.</param>
/// <param name="keptMax">The bytes from which on a collection is read in parts.</param>
internal sealed class RdbRawValues(RdbSource source, RdbStrings strings, RdbSkipper skipper, int keptMax)
{
    // Bounds the strings of a part; a part is far shorter unless one string is long.
    private const int PartBytesMax = 1 << 30;
    private const int PartCountMax = 1 << 26;

    private readonly RdbElements _elements = new(PartBytesMax, PartCountMax);
    private RdbType? _unread;

    /// <summary>Reads a value behind its type.</summary>
    public RdbRawState Read(RdbType type, long at)
    {
        source.Mark(RdbFormat.StringLengthMax);
        if (RdbSkipper.IsSequence(type))
        {
            for (long count = strings.ReadLength(); count > 0; count--)
            {
                skipper.SkipItem(type);
                if (source.Marked.Length <= keptMax || count == 1)
                    continue;
                source.Return();
                _unread = type;
                return RdbRawState.InParts;
            }
        }
        else if (type == RdbType.String)
            strings.Skip();
        else
            skipper.SkipValue(type, at);

        return source.IsMarked ? RdbRawState.Kept : RdbRawState.TooLong;
    }

    /// <summary>The bytes of the value that was kept.</summary>
    public ReadOnlyMemory<byte> Value => source.Marked;

    /// <summary>Reads the value that is in parts.</summary>
    /// <param name="partBytes">The bytes of its strings that make a part, at the least.</param>
    /// <param name="take">Gets each part.</param>
    public void ReadParts(int partBytes, Action<RdbElements> take)
    {
        var type = _unread ?? throw new InvalidOperationException("No value is in parts.");
        _unread = null;
        _elements.HandOn(partBytes, take);
        var collections = new RdbCollections(source, strings, _elements);
        collections.Read(type);
        take(_elements);
        _elements.Trim();
    }

    /// <summary>Skips what was not read of the last value.</summary>
    public void Finish(long at)
    {
        source.Unmark();
        if (_unread is { } type)
            skipper.SkipValue(type, at);
        _unread = null;
    }
}
