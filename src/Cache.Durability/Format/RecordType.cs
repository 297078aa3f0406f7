namespace Cache.Durability.Format;

/// <summary>The types of values, as files number them.</summary>
/// <remarks>0 a string, 1 a hash, 2 a list, 3 a set, 4 a sorted set, 5 a stream.</remarks>
internal static class RecordType
{
    public const byte String = 0;

    /// <summary>The last type that is written.</summary>
    public const byte Last = 5;
}
