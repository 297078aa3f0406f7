using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Cache.Protocol;
using Cache.Scripting.Native;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>The functions that Lua code calls here: the library of scripts has them, scripts have not.</summary>
/// <remarks>
/// Each returns true and its value, or false and an error, which the library raises. None throws, and none raises.
/// </remarks>
internal sealed class HostFunctions
{
    // Slots that a function needs besides its arguments.
    private const int Slots = 8;

    // Longer texts are copied to an array that is not kept.
    private const int KeptBytesMax = 64 * 1024;

    private readonly LuaMemory _memory;
    private readonly LoadText _load;
    private readonly LuaCallback[] _kept; // The native library has their addresses.
    private IScriptHost? _host;
    private Exception? _failure;
    private byte[] _buffer = new byte[512];

    public HostFunctions(LuaMemory memory, LoadText load)
    {
        _memory = memory;
        _load = load;
        _kept = [Guard(Call), Guard(MayCall), Guard(Compile), Guard(Digest), Guard(Log), Guard(SetProtocol)];
    }

    /// <summary>Loads a text; the function is on top of the stack then, or the error.</summary>
    public delegate bool LoadText(nint state, ReadOnlySpan<byte> text, string chunkName);

    /// <summary>Whether the present script must end.</summary>
    public bool IsKilled => _host is { IsKilled: true };

    private static ReadOnlySpan<byte> NoMemory => "ERR not enough memory"u8;

    /// <summary>A script begins.</summary>
    public void Begin(IScriptHost host)
    {
        _host = host;
        _failure = null;
    }

    /// <summary>It has ended.</summary>
    /// <returns>What one of the functions threw: a defect. Null: nothing.</returns>
    public Exception? End()
    {
        _host = null;
        if (_buffer.Length > KeptBytesMax)
            _buffer = new byte[KeptBytesMax];
        return _failure;
    }

    /// <summary>Pushes a table with the functions.</summary>
    public void Push(nint state)
    {
        ReadOnlySpan<string> names = ["call", "may", "compile", "sha1", "log", "setresp"];
        LuaApi.CreateTable(state, 0, names.Length);
        for (int i = 0; i < names.Length; i++)
        {
            LuaValues.Push(state, Encoding.ASCII.GetBytes(names[i]));
            LuaApi.PushFunction(state, Marshal.GetFunctionPointerForDelegate(_kept[i]), 0);
            LuaApi.RawSet(state, -3);
        }

        LuaValues.Push(state, "null"u8); // Of JSON.
        LuaApi.PushLightUserData(state, 0);
        LuaApi.RawSet(state, -3);
    }

    private LuaCallback Guard(Func<nint, int> function) => state =>
    {
        bool wasManaged = _memory.IsManaged;
        _memory.IsManaged = true;
        try
        {
            return LuaApi.CheckStack(state, Slots) == 0 ? 0 : function(state);
        }
#pragma warning disable CA1031 // No exception may pass the frames of the native library.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _failure ??= exception;
            return Fail(state, "ERR internal error"u8);
        }
        finally
        {
            _memory.IsManaged = wasManaged;
        }
    };

    private static int Fail(nint state, ReadOnlySpan<byte> error)
    {
        LuaApi.SetTop(state, 0);
        LuaApi.PushBoolean(state, 0);
        LuaValues.Push(state, error);
        return 2;
    }

    // A command has replied it.
    private static int FailCounted(nint state, ReadOnlySpan<byte> error)
    {
        int count = Fail(state, error);
        LuaApi.PushBoolean(state, 1);
        return count + 1;
    }

    // redis.call: true and the reply as a value; or false and the error, and true if a command has replied it.
    private int Call(nint state)
    {
        if (LuaApi.GetTop(state) == 0)
            return Fail(state, "ERR Please specify at least one argument for this redis lib call"u8);
        if (!TryAddArguments(state, out bool areTexts))
            return areTexts ? Fail(state, NoMemory)
                : Fail(state, "ERR Lua redis lib command arguments must be strings or integers"u8);
        if (!HasRoom(state))
            return Fail(state, NoMemory);
        var reply = new ReplyReader(state, Host.Call());
        if (!reply.Error.IsEmpty)
            return FailCounted(state, reply.Error);
        LuaApi.SetTop(state, 0);
        LuaApi.PushBoolean(state, 1);
        return reply.TryPush() ? 2 : Fail(state, NoMemory);
    }

    // redis.acl_check_cmd
    private int MayCall(nint state)
    {
        if (LuaApi.GetTop(state) == 0)
            return Fail(state, "ERR Please specify at least one argument for this redis lib call"u8);
        if (!TryAddArguments(state, out bool areTexts))
            return areTexts ? Fail(state, NoMemory)
                : Fail(state, "ERR redis.acl_check_cmd() command arguments must be strings or integers"u8);
        if (Host.MayCall() is not { } may)
            return Fail(state, "ERR Invalid command passed to redis.acl_check_cmd()"u8);
        LuaApi.PushBoolean(state, 1);
        LuaApi.PushBoolean(state, may ? 1 : 0);
        return 2;
    }

    // loadstring: a text and its name.
    private int Compile(nint state)
    {
        string name = LuaValues.ReadChars(state, 2);
        var text = LuaValues.Read(state, 1, ref _buffer);
        bool isLoaded = _load(state, text, name);
        LuaApi.PushBoolean(state, isLoaded ? 1 : 0);
        LuaApi.PushValue(state, -2);
        return 2;
    }

    private int Digest(nint state)
    {
        var digest = ScriptDigest.Of(LuaValues.Read(state, 1, ref _buffer));
        LuaApi.PushBoolean(state, 1);
        LuaValues.Push(state, Encoding.ASCII.GetBytes(digest.ToString()));
        return 2;
    }

    private int Log(nint state)
    {
        Host.Log((int)LuaApi.ToNumber(state, 1, 0), LuaValues.Read(state, 2, ref _buffer));
        return 0;
    }

    private int SetProtocol(nint state)
    {
        Host.ProtocolVersion = (int)LuaApi.ToNumber(state, 1, 0);
        return 0;
    }

    private IScriptHost Host => _host ?? throw new InvalidOperationException("No script runs.");

    // What commands before have brought may be garbage, or too much.
    private bool HasRoom(nint state)
    {
        if (!_memory.IsOverLimit)
            return true;
        _ = LuaApi.Collect(state, LuaApi.CollectAll);
        return !_memory.IsOverLimit;
    }

    /// <param name="state">The state, with the arguments on its stack.</param>
    /// <param name="areTexts">False: one is neither a text nor a number.</param>
    /// <returns>False: that, or they are too long.</returns>
    private bool TryAddArguments(nint state, out bool areTexts)
    {
        Host.ClearArguments();
        areTexts = true;
        bool haveRoom = true;
        int count = LuaApi.GetTop(state);
        for (int i = 1; i <= count && haveRoom && areTexts; i++)
        {
            switch (LuaApi.TypeOf(state, i))
            {
                case LuaType.Text:
                    haveRoom = Host.TryAddArgument(LuaValues.Read(state, i, ref _buffer));
                    break;
                case LuaType.Number:
                    haveRoom = TryAddNumber(LuaApi.ToNumber(state, i, 0));
                    break;
                default:
                    areTexts = false;
                    break;
            }
        }

        return haveRoom && areTexts;
    }

    private bool TryAddNumber(double number)
    {
        Span<byte> text = stackalloc byte[RespDouble.LengthMax];
        return double.IsNaN(number)
            ? Host.TryAddArgument(double.IsNegative(number) ? "-nan"u8 : "nan"u8)
            : Host.TryAddArgument(text[..RespDouble.Format(number, text)]);
    }
}
