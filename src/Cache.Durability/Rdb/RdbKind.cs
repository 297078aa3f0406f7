namespace Cache.Durability.Rdb;

/// <summary>What an entry of an RDB file is, whatever its encoding.</summary>
internal enum RdbKind
{
    String,
    Hash,
    List,
    Set,
    SortedSet,
    Stream,
}
