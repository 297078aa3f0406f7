namespace Cache.Durability.Rdb;

/// <summary>Reads the values that are collections, streams among them, whatever their encoding.</summary>
/// <param name="source">The bytes.</param>
/// <param name="strings">Their strings.</param>
/// <param name="elements">Receives the strings of a collection; of a stream, only whether it is too long.</param>
/// <param name="sink">Receives streams; null: they are not read.</param>
internal sealed class RdbValues(
    RdbSource source, RdbStrings strings, RdbElements elements, IRdbStreamSink? sink)
{
    private readonly RdbCollections _collections = new(source, strings, elements);
    private readonly RdbStreams? _streams = sink is null ? null : new RdbStreams(source, strings, elements, sink);

    /// <summary>The memory that it has beside the elements.</summary>
    public long HeldBytes => _collections.HeldBytes + (_streams?.HeldBytes ?? 0);

    /// <summary>Reads a value behind its type.</summary>
    /// <returns>False if it is none that is read here: then nothing was read.</returns>
    /// <exception cref="RdbFormatException">It is damaged.</exception>
    public bool TryRead(RdbType type, out RdbKind kind)
    {
        kind = RdbKind.Stream;
        if (RdbCollections.KindOf(type) is { } found)
        {
            kind = found;
            _collections.Read(type);
            return true;
        }

        if (_streams is null || type is not (RdbType.Stream or RdbType.Stream2 or RdbType.Stream3))
            return false;
        _streams.Read(type);
        if (_streams.IsTooLong)
            elements.GiveUp();
        else
            elements.Clear();
        return true;
    }

    /// <summary>Forgets its memory.</summary>
    public void Trim()
    {
        _collections.Trim();
        _streams?.Trim();
    }
}
