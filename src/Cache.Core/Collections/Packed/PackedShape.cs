namespace Cache.Core.Collections.Packed;

/// <summary>What the entries of a packed collection have; the kind of the record's value tells which.</summary>
/// <remarks>Prints: one byte of each name's hash. Values: a second string behind each name.</remarks>
internal readonly record struct PackedShape(bool HasPrints, bool HasValues)
{
    public static PackedShape Hash => new(HasPrints: true, HasValues: true);

    public static PackedShape Set => new(HasPrints: true, HasValues: false);

    /// <summary>The value is a score, and the entries are ordered by it.</summary>
    public static PackedShape SortedSet => new(HasPrints: true, HasValues: true);

    public static PackedShape List => new(HasPrints: false, HasValues: false);

    /// <summary>The bytes that an entry takes before the entries' own.</summary>
    public int Columns => 1 + (HasPrints ? 1 : 0) + (HasValues ? 1 : 0);
}
