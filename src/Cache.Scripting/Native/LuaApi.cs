using System.Runtime.InteropServices;

namespace Cache.Scripting.Native;

/// <summary>The functions of the native library that are used here.</summary>
/// <remarks>
/// An error of Lua jumps over all frames up to the last protected call, which managed frames do not survive. So outside
/// of <see cref="ProtectedCall"/> only functions are called that raise nothing but the want of memory, and that is not
/// refused there: see <see cref="LuaMemory"/>. No function here calls metamethods. Those that allocate nothing, so that
/// they call nothing here, and take nanoseconds, make no transition of the garbage collector.
/// </remarks>
internal static class LuaApi
{
    /// <summary>Where references are kept.</summary>
    public const int RegistryIndex = -1_001_000;

    /// <summary>The mask of a hook that counts instructions.</summary>
    public const int MaskCount = 8;

    /// <summary>The argument of <see cref="Collect"/> that collects all garbage.</summary>
    public const int CollectAll = 2;

    public const int Succeeded = 0;

    private const string Library = "lua54";
    private const CallingConvention Convention = CallingConvention.Cdecl;

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_newstate")]
    public static extern nint NewState(LuaAllocator allocator, nint user);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_close")]
    public static extern void Close(nint state);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_checkstack")]
    public static extern int CheckStack(nint state, int count);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_gettop")]
    public static extern int GetTop(nint state);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_settop")]
    public static extern void SetTop(nint state, int index);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushvalue")]
    public static extern void PushValue(nint state, int index);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_type")]
    public static extern LuaType TypeOf(nint state, int index);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_toboolean")]
    public static extern int ToBoolean(nint state, int index);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_tonumberx")]
    public static extern double ToNumber(nint state, int index, nint isNumber);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_tolstring")]
    public static extern nint ToText(nint state, int index, out nuint length);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushnil")]
    public static extern void PushNil(nint state);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushboolean")]
    public static extern void PushBoolean(nint state, int value);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushnumber")]
    public static extern void PushNumber(nint state, double value);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushlightuserdata")]
    public static extern void PushLightUserData(nint state, nint value);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushlstring")]
    public static extern nint PushText(nint state, ref readonly byte text, nuint length);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pushcclosure")]
    public static extern void PushFunction(nint state, nint function, int upvalues);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_createtable")]
    public static extern void CreateTable(nint state, int items, int fields);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_rawget")]
    public static extern LuaType RawGet(nint state, int index);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_rawgeti")]
    public static extern LuaType RawGetItem(nint state, int index, long item);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_rawset")]
    public static extern void RawSet(nint state, int index);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_rawseti")]
    public static extern void RawSetItem(nint state, int index, long item);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_next")]
    public static extern int Next(nint state, int index);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "luaL_ref")]
    public static extern int Keep(nint state, int index);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "luaL_unref")]
    public static extern void Release(nint state, int index, int reference);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "luaL_loadbufferx")]
    public static extern int Load(nint state, ref readonly byte text, nuint length, byte[] name, byte[] mode);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_pcallk")]
    public static extern int ProtectedCall(
        nint state, int arguments, int results, int handler, nint context, nint continuation);

    [SuppressGCTransition]
    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_sethook")]
    public static extern void SetHook(nint state, nint hook, int mask, int count);

    [DllImport(Library, CallingConvention = Convention, EntryPoint = "lua_gc")]
    public static extern int Collect(nint state, int what);

    private static readonly Lazy<nint> _loaded =
        new(static () => NativeLibrary.Load(Library, typeof(LuaApi).Assembly, searchPath: null));

    /// <summary>Whether the library can be loaded.</summary>
    public static bool IsThere => NativeLibrary.TryLoad(Library, typeof(LuaApi).Assembly, searchPath: null, out _);

    /// <summary>The address of a function of the library.</summary>
    public static nint AddressOf(string name) => NativeLibrary.GetExport(_loaded.Value, name);
}
