namespace Cache.Scripting.Native;

/// <summary>The types of values in Lua 5.4.</summary>
internal enum LuaType
{
    None = -1,
    Nil = 0,
    Boolean = 1,
    LightUserData = 2,
    Number = 3,
    Text = 4,
    Table = 5,
}
