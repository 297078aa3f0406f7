namespace Cache.Durability.Rdb;

/// <summary>The types of values. The missing numbers were never released.</summary>
internal enum RdbType : byte
{
    String = 0,
    List = 1,
    Set = 2,
    SortedSetText = 3,
    Hash = 4,
    SortedSet = 5,
    Module = 7,
    HashZipmap = 9,
    ListZiplist = 10,
    SetIntset = 11,
    SortedSetZiplist = 12,
    HashZiplist = 13,
    ListQuicklist = 14,
    Stream = 15,
    HashListpack = 16,
    SortedSetListpack = 17,
    ListQuicklist2 = 18,
    Stream2 = 19,

    // Of Redis 7.2.
    Stream3 = 21,
}
