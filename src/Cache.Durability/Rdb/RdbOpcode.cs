namespace Cache.Durability.Rdb;

/// <summary>The opcodes that may stand in place of an entry's type.</summary>
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
