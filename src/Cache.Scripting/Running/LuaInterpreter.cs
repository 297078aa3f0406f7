using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Cache.Scripting.Native;
using Cache.Scripting.Translation;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>Runs scripts in one state of the native library.</summary>
/// <remarks>
/// The library of scripts (Library/*.lua) is written in Lua: the sandbox, what 5.1 has and 5.4 has not, cjson and the
/// others. Scripts see nothing else of the native one. Every call into Lua is protected; every function that Lua calls
/// catches what it throws, and returns errors as values, which Lua code raises (<see cref="LuaApi"/>).
/// </remarks>
internal sealed partial class LuaInterpreter : IScriptInterpreter
{
    // Of all that a script holds. The longest reply of a command, client-output-buffer-limit of 64 MB, fits in twice.
    private const long MemoryMax = 128 << 20;

    // What may be left as garbage when a script has ended.
    private const long GarbageMax = 32 << 20;

    // Of a text that is compiled: its translation takes many times its length, which no limit of Lua counts, and time
    // in which nothing can end it. As many as all libraries may have.
    private const int TextBytesMax = 8 << 20;

    // Instructions between two looks at SCRIPT KILL: some microseconds, and a percent of the time.
    private const int HookInterval = 1000;

    // Arguments on the stack, besides those of the client.
    private const int Slots = 20;

    private static readonly string[] _nativeLibraries = ["base", "string", "table", "math", "coroutine", "debug"];
    private static readonly string[] _libraries = ["bit", "cjson", "struct", "cmsgpack", "functions"];
    private static readonly byte[] _textMode = "t\0"u8.ToArray();
    private static readonly byte[] _libraryName = "=\u0001\0"u8.ToArray();

    private readonly LuaMemory _memory = new(MemoryMax);
    private readonly HostFunctions _functions;
    private readonly LuaHook _hook;
    private readonly nint _hookAddress;
    private readonly nint _raise;
    private readonly Dictionary<ScriptDigest, LuaScript> _scripts = [];
    private readonly ReplyWriter _replies = new();
    private readonly TextTable _keys = new();
    private readonly TextTable _arguments = new();
    private readonly nint _state;
    private byte[] _buffer = new byte[512];
    private int _start;
    private int _handler;
    private int _finish;
    private long _kept; // By libraries that are loaded, when garbage was collected last.

    /// <exception cref="DllNotFoundException">The native library is not there, or is of another machine.</exception>
    public LuaInterpreter()
    {
        _hook = OnHook;
        _hookAddress = Marshal.GetFunctionPointerForDelegate(_hook);
        _raise = LuaApi.AddressOf("luaL_error");
        _functions = new HostFunctions(_memory, TryLoad);
        _memory.IsEnding = () => _functions.IsKilled;
        _state = LuaApi.NewState(_memory.Allocator, 0);
        if (_state == 0)
            throw new InsufficientMemoryException("There is no memory for an interpreter of scripts.");
        OpenLibraries();
    }

    public long MemoryBytes => _memory.Used;

    public byte[]? Compile(ScriptDigest digest, ReadOnlySpan<byte> text, out ScriptOutline? outline)
    {
        outline = null;
        if (ScriptHeader.Read(text, out var header) is { } problem)
            return Encoding.Latin1.GetBytes(problem);
        LuaApi.SetTop(_state, 0);
        bool isLoaded = TryLoad(_state, text[header.Length..], "@user_script")
            && TryFinish(_finish);
        if (!isLoaded)
        {
            byte[] error =
                [.. "ERR Error compiling script (new function): "u8, .. LuaValues.Read(_state, -1, ref _buffer)];
            LuaApi.SetTop(_state, 0);
            return error;
        }

        outline = OutlineReader.Read(text[header.Length..]);
        _scripts[digest] = new LuaScript(LuaApi.Keep(_state, LuaApi.RegistryIndex), header);
        LuaApi.SetTop(_state, 0);
        return null;
    }

    public ScriptFlags? ReadFlags(ReadOnlySpan<byte> text) =>
        ScriptHeader.Read(text, out var header) is null && header.IsThere ? header.Flags : null;

    public void Forget(ScriptDigest digest)
    {
        if (_scripts.Remove(digest, out var script))
            LuaApi.Release(_state, LuaApi.RegistryIndex, script.Reference);
    }

    public void Run(
        ScriptDigest digest, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        var script = _scripts[digest];
        if (script.Header.RefusesCluster && host.IsInCluster)
        {
            reply.Error("ERR Can not run script on cluster, 'no-cluster' flag is set."u8);
            return;
        }

        if (script.Header is { IsThere: true, IsReadOnly: false } && host.IsReadOnly)
        {
            reply.Error("ERR Can not execute a script with write flag using *_ro command."u8);
            return;
        }

        host.IsReadOnly |= script.Header.IsReadOnly;
        host.UsesOneSlot = script.Header.UsesOneSlot;
        if (!TryExecute(_start, script.Reference, request, keyCount, host, reply))
            WriteFailure(digest.ToString(), host, reply);
        End();
    }

    public void Dispose()
    {
        LuaApi.Close(_state);
        _memory.Dispose();
        GC.KeepAlive(_functions);
        GC.KeepAlive(_hook);
    }

    // Calls a script, or a function, by a function of the library; false: the error is on top of the stack.
    private bool TryExecute(
        int start, int script, in RespRequest request, int keyCount, IScriptHost host, RespReplyWriter reply)
    {
        Begin(host);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, start);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, script);
        int argumentCount = request.Count - 3 - keyCount;
        if (host.IsShort)
        {
            _keys.Push(_state, request, 3, keyCount);
            _arguments.Push(_state, request, 3 + keyCount, argumentCount);
        }
        else
        {
            TextTable.PushNew(_state, request, 3, keyCount);
            TextTable.PushNew(_state, request, 3 + keyCount, argumentCount);
        }

        if (!TryCall(arguments: 3))
            return false;
        _replies.Write(_state, host, reply);
        return true;
    }

    // What is pushed then is called by TryCall.
    private void Begin(IScriptHost host)
    {
        _functions.Begin(host);
        LuaApi.SetTop(_state, 0);
        if (!host.IsShort) // While there is a hook, each instruction takes longer.
            LuaApi.SetHook(_state, _hookAddress, LuaApi.MaskCount, HookInterval);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, _handler);
    }

    private bool TryCall(int arguments)
    {
        int status = Call(arguments, results: 1, handler: 1);
        LuaApi.SetHook(_state, 0, 0, 0);
        return _functions.End() is { } failure
            ? throw new InvalidOperationException("A function of a script threw.", failure)
            : status == LuaApi.Succeeded;
    }

    private void End()
    {
        LuaApi.SetTop(_state, 0);
        if (_memory.Used <= Math.Max(GarbageMax, 2 * _kept))
            return;
        _ = LuaApi.Collect(_state, LuaApi.CollectAll);
        _kept = _memory.Used;
    }

    // While Lua runs, memory may be refused.
    private int Call(int arguments, int results, int handler)
    {
        _memory.IsManaged = false;
        int status = LuaApi.ProtectedCall(_state, arguments, results, handler, 0, 0);
        _memory.IsManaged = true;
        return status;
    }

    // The error on top of the stack: a table, as the handler makes it, or a text if that failed too.
    private void WriteFailure(string name, IScriptHost host, RespReplyWriter reply)
    {
        var text = new List<byte>();
        bool isRepeated = LuaApi.TypeOf(_state, -1) == LuaType.Table && ReplyWriter.IsRepeated(_state);
        if (host.IsKilled)
            text.AddRange("ERR Script killed by user with SCRIPT KILL..."u8);
        else if (LuaApi.TypeOf(_state, -1) == LuaType.Table)
        {
            ReadOnlySpan<byte> error = ReadField("err"u8, isText: true);
            text.AddRange(error.IsEmpty ? "ERR unknown error"u8 : ReplyWriter.UpToNul(error));
        }
        else
            text.AddRange([.. "ERR "u8, .. LuaValues.Read(_state, -1, ref _buffer)]);
        if (LuaApi.TypeOf(_state, -1) == LuaType.Table && ReadField("source"u8) is { Length: > 0 } source)
        {
            string place = $" script: {name}, on {Encoding.Latin1.GetString(source)}:"
                + $"{Encoding.Latin1.GetString(ReadField("line"u8))}.";
            text.AddRange(Encoding.Latin1.GetBytes(place));
        }

        ReplyWriter.WriteError(CollectionsMarshal.AsSpan(text), isRepeated, reply);
    }

    private byte[] ReadField(ReadOnlySpan<byte> name, bool isText = false)
    {
        LuaValues.Push(_state, name);
        var type = LuaApi.RawGet(_state, -2);
        byte[] text = type == LuaType.Text || (type == LuaType.Number && !isText)
            ? LuaValues.Read(_state, -1, ref _buffer).ToArray()
            : [];
        LuaApi.SetTop(_state, -2);
        return text;
    }

    // Loads a text of a script; what is on top then is a function that gives it the helpers, or the error.
    private static bool TryLoad(nint state, ReadOnlySpan<byte> text, string chunkName)
    {
        try
        {
            if (text.Length > TextBytesMax)
                throw new LuaSyntaxException("not enough memory");
            string translated =
                Translator.Translate(Encoding.Latin1.GetString(text), ChunkName.Shorten(chunkName));
            byte[] bytes = [.. Encoding.Latin1.GetBytes(translated), 0]; // Never empty.
            byte[] name = [.. Encoding.Latin1.GetBytes(chunkName), 0];
            int status = LuaApi.Load(state, in bytes[0], (nuint)bytes.Length - 1, name, _textMode);
            return status == LuaApi.Succeeded;
        }
        catch (LuaSyntaxException exception)
        {
            LuaValues.Push(state, Encoding.Latin1.GetBytes(exception.Message));
            return false;
        }
    }

    // Calls what was loaded: its value is the script.
    private bool TryFinish(int finish)
    {
        int top = LuaApi.GetTop(_state);
        LuaApi.RawGetItem(_state, LuaApi.RegistryIndex, finish);
        LuaApi.PushValue(_state, top);
        return Call(arguments: 1, results: 1, handler: 0) == LuaApi.Succeeded;
    }

    // A script that is killed: the next hook is a function of the library that raises an error, since no managed
    // frame may be jumped over. It is called before each instruction, so that no pcall goes on.
    private void OnHook(nint state, nint activation)
    {
        if (_functions.IsKilled)
            LuaApi.SetHook(state, _raise, LuaApi.MaskCount, 1);
    }

    private void OpenLibraries()
    {
        _ = LuaApi.CheckStack(_state, Slots);
        LoadLibrary("core");
        foreach (string name in _nativeLibraries)
        {
            LuaApi.PushFunction(_state, LuaApi.AddressOf($"luaopen_{name}"), 0);
            ThrowIfFailed(Call(arguments: 0, results: 1, handler: 0));
        }

        _functions.Push(_state);
        foreach (string name in _libraries)
            LoadLibrary(name);
        ThrowIfFailed(Call(_nativeLibraries.Length + 1 + _libraries.Length, results: 7, handler: 0));
        KeepFunctionsOfLibraries();
        _finish = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        _handler = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        _start = LuaApi.Keep(_state, LuaApi.RegistryIndex);
        LuaApi.SetTop(_state, 0);
    }

    private void LoadLibrary(string name)
    {
        using var resource = Assembly.GetExecutingAssembly().GetManifestResourceStream($"Cache.Scripting.{name}.lua")
            ?? throw new InvalidOperationException($"The assembly has no library {name}.");
        byte[] text = new byte[resource.Length];
        resource.ReadExactly(text);
        ThrowIfFailed(LuaApi.Load(_state, in text[0], (nuint)text.Length, _libraryName, _textMode));
    }

    private void ThrowIfFailed(int status)
    {
        if (status != LuaApi.Succeeded)
            throw new InvalidOperationException(LuaValues.ReadChars(_state, -1));
    }
}
