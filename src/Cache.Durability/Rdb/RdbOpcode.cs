namespace Cache.Durability.Rdb;

/// <summary>What stands before an entry where its type would be.</summary>
internal enum RdbOpcode : byte
{
    Function = 245,
    ModuleData = 247,
    Idle = 248,
    Frequency = 249,
    Auxiliary = 250,
    ResizeDatabase = 251,
    ExpiresAtMs = 252,
    ExpiresAtSeconds = 253,
    SelectDatabase = 254,
    End = 255,
}
