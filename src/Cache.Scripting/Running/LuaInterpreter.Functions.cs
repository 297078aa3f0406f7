using System.Globalization;
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
    // Name, flags, description, callback, what is known of it.
    private const int ItemsOfFunction = 5;

    // Before the constants that it shares: its first and its last line.
    private const int ItemsOfPlace = 2;

    private readonly Dictionary<FunctionLibrary, int[]> _callbacks = []; // By places of the library's functions.
    private readonly Dictionary<SimpleFunction, int> _simpleFunctions = [];
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

        Run(function.Info, callbacks[function.Index], request, keyCount, host, reply);
    }

    private void Run(
        FunctionInfo info, int callback, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        host.IsReadOnly |= (info.Flags & ScriptFlags.NoWrites) != 0;
        host.UsesOneSlot = (info.Flags & ScriptFlags.AllowCrossSlotKeys) == 0;
        if (!TryExecute(_call, callback, request, keyCount, host, reply))
            WriteFailure(info.Name, host, reply);
        End();
    }

    public byte[]? Compile(SimpleFunction function)
    {
        LuaApi.SetTop(_state, 0);
        var (line, text, _) = function.Text;
        byte[] placed = [.. Enumerable.Repeat((byte)'\n', line - 1), .. text]; // Errors name the line of the library.
        if (!TryLoad(_state, placed, "@user_function") || !TryFinish(_finishLibrary)
            || Call(arguments: 0, results: 1, handler: 0) != LuaApi.Succeeded)
        {
            byte[] error = [.. "ERR Error compiling function: "u8, .. LuaValues.Read(_state, -1, ref _buffer)];
            LuaApi.SetTop(_state, 0);
            return error;
        }

        _simpleFunctions[function] = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        LuaApi.SetTop(_state, 0);
        return null;
    }

    public void Forget(SimpleFunction function)
    {
        if (_simpleFunctions.Remove(function, out int callback))
            LuaApi.Release(_state, LuaApi.RegistryIndex, callback);
    }

    public void Run(
        SimpleFunction function, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply) =>
        Run(function.Info, _simpleFunctions[function], request, keyCount, host, reply);

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
        var reader = LibraryReader.Open(library.Body);
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
            bool isKnown = LuaApi.RawGetItem(_state, list, i + 4) == LuaType.Table;
            functions.Add(new FunctionInfo(name, description, flags, isKnown ? FindText(reader) : null));
            LuaApi.SetTop(_state, list);
        }

        _callbacks[library] = [.. callbacks];
        return functions;
    }

    // By the table on top of the stack.
    private FunctionText? FindText(LibraryReader? reader)
    {
        int place = LuaApi.GetTop(_state);
        LuaApi.RawGetItem(_state, place, 1);
        LuaApi.RawGetItem(_state, place, 2);
        int line = (int)LuaApi.ToNumber(_state, -2, 0);
        int lastLine = (int)LuaApi.ToNumber(_state, -1, 0);
        var shared = new List<KeyValuePair<string, string>>();
        for (int i = ItemsOfPlace + 1; LuaApi.RawGetItem(_state, place, i) == LuaType.Text; i += 2)
        {
            string name = LuaValues.ReadChars(_state, -1);
            _ = LuaApi.RawGetItem(_state, place, i + 1);
            if (ReadConstant() is not { } constant)
                return null;
            shared.Add(new KeyValuePair<string, string>(name, constant));
            LuaApi.SetTop(_state, place);
        }

        return reader?.Find(line, lastLine, shared);
    }

    // The value on top of the stack, as it stands in a text of Lua.
    private string? ReadConstant()
    {
        var type = LuaApi.TypeOf(_state, -1);
        if (type == LuaType.Boolean)
            return LuaApi.ToBoolean(_state, -1) != 0 ? "true" : "false";
        if (type == LuaType.Number)
        {
            double number = LuaApi.ToNumber(_state, -1, 0);
            return double.IsFinite(number) ? number.ToString("R", CultureInfo.InvariantCulture) : null;
        }

        var text = LuaValues.Read(_state, -1, ref _buffer);
        if (text.Length > OutlineReader.LengthMax)
            return null;
        var quoted = new StringBuilder("\"");
        foreach (byte one in text)
            quoted.Append(CultureInfo.InvariantCulture, $"\\{one:D3}");
        return quoted.Append('"').ToString();
    }
}
