namespace Cache.Core;

/// <summary>An entry of a stream, copied out of the store.</summary>
public sealed class StreamEntry
{
    internal StreamEntry(StreamId id, KeyValuePair<byte[], byte[]>[] fields)
    {
        Id = id;
        Fields = fields;
    }

    /// <summary>Its id.</summary>
    public StreamId Id { get; }

    /// <summary>Its fields with their values, in the order in which they were given.</summary>
    public IReadOnlyList<KeyValuePair<byte[], byte[]>> Fields { get; }

    /// <summary>The value of a field, of the first one of that name; null if there is none.</summary>
    public byte[]? this[ReadOnlySpan<byte> field]
    {
        get
        {
            foreach (var (name, value) in Fields)
            {
                if (field.SequenceEqual(name))
                    return value;
            }

            return null;
        }
    }
}
