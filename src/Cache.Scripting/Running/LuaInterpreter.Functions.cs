using System.Text;
using Cache.Scripting.Native;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <remarks>
/// Functions: a library is executed once, with what Library/functions.lua lets it see, and its functions are kept with
/// what they share. They run as scripts do.
/// </remarks>
internal sealed partial class LuaInterpreter
{
    // Name, flags, description, callback.
    private const int ItemsOfFunction = 4;

    private readonly Dictionary<FunctionLibrary, int[]> _callbacks = []; // By places of the library's functions.
    private int _call;
    private int _loadLibrary;
    private int _endLoad;
    private int _finishLibrary;

    public byte[]? LoadLibrary(FunctionLibrary library, IScriptHost host, out IReadOnlyList<FunctionInfo> functions)
    {
        functions = [];
        LuaApi.SetTop(_state, 0);
        if (!TryLoad(_state, library.Body, "@user_function") || !TryFinish(_finishLibrary))
        {
            byte[] error = [.. "ERR Error compiling function: "u8, .. LuaValues.Read(_state, -1, ref _buffer)];
            LuaApi.SetTop(_state, 0);
            return error;
        }

        int text = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        Begin(host);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, _loadLibrary);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, text);
        bool isLoaded = TryCall(arguments: 1);
        byte[]? failure = isLoaded ? null : ReadFailure(host);
        if (isLoaded)
            functions = KeepFunctions(library);
        LuaApi.Release(_state, LuaApi.RegistryIndex, text);
        LuaApi.SetTop(_state, 0);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, _endLoad);
        ThrowIfFailed(Call(arguments: 0, results: 0, handler: 0));
        End();
        return failure;
    }

    public void KeepLibraries(FunctionTable table)
    {
        int count = _callbacks.Count;
        foreach (var (library, callbacks) in _callbacks)
        {
            if (table.Has(library))
                continue;
            foreach (int callback in callbacks)
                LuaApi.Release(_state, LuaApi.RegistryIndex, callback);
            _callbacks.Remove(library);
        }

        if (_callbacks.Count == count)
            return;
        _ = LuaApi.Collect(_state, LuaApi.CollectAll); // They may have held much.
        _kept = _memory.Used;
    }

    public void Run(
        LibraryFunction function, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        if (!_callbacks.TryGetValue(function.Library, out int[]? callbacks))
        {
            if (LoadLibrary(function.Library, host, out _) is { } error)
            {
                reply.Error(error);
                return;
            }

            callbacks = _callbacks[function.Library];
        }

        host.IsReadOnly |= (function.Info.Flags & ScriptFlags.NoWrites) != 0;
        host.UsesOneSlot = (function.Info.Flags & ScriptFlags.AllowCrossSlotKeys) == 0;
        if (!TryExecute(_call, callbacks[function.Index], request, keyCount, host, reply))
            WriteFailure(function.Info.Name, host, reply);
        End();
    }

    // In the order in which Library/core.lua returns them, from the last.
    private void KeepFunctionsOfLibraries()
    {
        _finishLibrary = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        _endLoad = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        _loadLibrary = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        _call = LuaApi.Keep(_state, LuaApi.RegistryIndex);
    }

    private byte[] ReadFailure(IScriptHost host)
    {
        byte[] problem = host.IsKilled
            ? "ERR FUNCTION LOAD timeout"u8.ToArray()
            : LuaApi.TypeOf(_state, -1) == LuaType.Table
                ? ReadField("err"u8)
                : [.. "ERR "u8, .. LuaValues.Read(_state, -1, ref _buffer)];
        return [.. "ERR Error registering functions: "u8, .. problem];
    }

    // The list on top of the stack: what the library has registered.
    private List<FunctionInfo> KeepFunctions(FunctionLibrary library)
    {
        var functions = new List<FunctionInfo>();
        var callbacks = new List<int>();
        int list = LuaApi.GetTop(_state);
        for (int i = 1; LuaApi.RawGetItem(_state, list, i) == LuaType.Text; i += ItemsOfFunction)
        {
            string name = LuaValues.ReadChars(_state, -1);
            LuaApi.RawGetItem(_state, list, i + 1);
            var flags = (ScriptFlags)(int)LuaApi.ToNumber(_state, -1, 0);
            byte[]? description = LuaApi.RawGetItem(_state, list, i + 2) == LuaType.Text
                ? LuaValues.Read(_state, -1, ref _buffer).ToArray()
                : null;
            LuaApi.RawGetItem(_state, list, i + 3);
            callbacks.Add(LuaApi.Keep(_state, LuaApi.RegistryIndex));
            functions.Add(new FunctionInfo(name, description, flags));
            LuaApi.SetTop(_state, list);
        }

        _callbacks[library] = [.. callbacks];
        return functions;
    }
}
