using Cache.Scripting.Native;
using Cache.Server.Protocol;

namespace Cache.Scripting.Running;

/// <summary>A table of Lua with words of a request, which is filled again for each simple script.</summary>
/// <remarks>Such a script can neither change it nor keep it; a new one for each would be garbage.</remarks>
internal sealed class TextTable
{
    // A longer one is not kept.
    private const int KeptMax = 64;

    private int _reference;
    private int _count;

    /// <summary>Pushes the table with some words.</summary>
    public void Push(nint state, in RespRequest request, int first, int count)
    {
        if (count > KeptMax)
        {
            PushNew(state, request, first, count);
            return;
        }

        if (_reference == 0)
        {
            LuaApi.CreateTable(state, count, 0);
            _reference = LuaApi.Keep(state, LuaApi.RegistryIndex);
        }

        LuaApi.RawGetItem(state, LuaApi.RegistryIndex, _reference);
        Fill(state, request, first, count);
        for (int i = count; i < _count; i++)
        {
            LuaApi.PushNil(state);
            LuaApi.RawSetItem(state, -2, i + 1);
        }

        _count = count;
    }

    /// <summary>Pushes a new table with some words.</summary>
    public static void PushNew(nint state, in RespRequest request, int first, int count)
    {
        LuaApi.CreateTable(state, count, 0);
        Fill(state, request, first, count);
    }

    private static void Fill(nint state, in RespRequest request, int first, int count)
    {
        for (int i = 0; i < count; i++)
        {
            LuaValues.Push(state, request[first + i]);
            LuaApi.RawSetItem(state, -2, i + 1);
        }
    }
}
