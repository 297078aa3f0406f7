namespace Cache.Scripting.Running;

/// <summary>A script that was compiled.</summary>
/// <param name="Reference">Where Lua keeps its function.</param>
/// <param name="Header">What its first line says.</param>
internal readonly record struct LuaScript(int Reference, ScriptHeader Header);
