using System.Runtime.InteropServices;

namespace Cache.Scripting.Native;

/// <summary>A function that Lua calls: it must neither throw nor raise an error of Lua.</summary>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
internal delegate int LuaCallback(nint state);

/// <summary>Called after a number of instructions.</summary>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
internal delegate void LuaHook(nint state, nint activation);

/// <summary>Gives, changes and takes back memory.</summary>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
internal delegate nint LuaAllocator(nint user, nint block, nuint oldSize, nuint newSize);
