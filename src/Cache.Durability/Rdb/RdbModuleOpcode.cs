namespace Cache.Durability.Rdb;

/// <summary>The kind of the next part of a module's value.</summary>
internal enum RdbModuleOpcode : ulong
{
    End = 0,
    Int = 1,
    UInt = 2,
    Float = 3,
    Double = 4,
    String = 5,
}
