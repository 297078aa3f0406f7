namespace Cache.Durability.Attachment;

/// <summary>The names of a collection, by number, with their values; a struct over the caller's bytes.</summary>
internal interface IPackedElements
{
    /// <summary>A field, a member, or an element of a list.</summary>
    ReadOnlySpan<byte> NameAt(int index);

    /// <summary>Of a hash.</summary>
    ReadOnlySpan<byte> ValueAt(int index);

    /// <summary>Of a sorted set; a number.</summary>
    double ScoreAt(int index);
}
