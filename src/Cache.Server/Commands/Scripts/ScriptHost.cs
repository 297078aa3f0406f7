using System.Text;
using Cache.Protocol;
using Cache.Server.Clients;
using Cache.Server.Cluster;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Scripts;
using Cache.Server.Security;
using Cache.Server.Settings;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Scripts;

/// <summary>Executes the commands of a script, as the client that runs it; one is kept with each context.</summary>
internal sealed class ScriptHost : IScriptHost
{
    // Of all arguments of a command: a script may name a text of megabytes any number of times. As much as it may hold.
    private const int ArgumentBytesMax = 128 << 20;

    // Of a reply: more than the connection of a client may hold unless its limit was raised.
    private const long ReplyBytesLimit = 256 << 20;

    // On a loop: many times what the script is given. Only tables that hold others again and again come to more.
    private const long ShortReplyBytesLimit = 4 << 20;

    // More is not kept for the next call.
    private const int KeptBytesMax = 64 * 1024;
    private const int KeptCountMax = 1024;

    // Of a line in the log: as in Redis.
    private const int LogBytesMax = 1024;

    private const string Denied = "ERR The user executing the script can't ";

    private static readonly byte[] _noCommand =
        Encoding.ASCII.GetBytes(Denied + "run this command or subcommand");

    private static readonly byte[] _noKeys =
        Encoding.ASCII.GetBytes(Denied + "access at least one of the keys mentioned in the command arguments");

    private static readonly byte[] _noChannels =
        Encoding.ASCII.GetBytes(Denied + "publish to the channel mentioned in the command");

    // Others may have been changed already, so that the script cannot be run again.
    private static readonly byte[] _notAlone =
        "ERR commands of other clients took too long for a key that the script does not declare"u8.ToArray();

    private readonly CommandContext _context;
    private HeldKeys _keys = new();
    private bool _holdsKeys; // Others may use all other keys.
    private int _database; // Of the keys that it holds.
    private readonly CollectingPipeWriter _output = new();
    private readonly RespReplyWriter _reply;
    private byte[] _bytes = new byte[512];
    private ArgumentRange[] _arguments = new ArgumentRange[16];
    private int _slot = SlotCheck.None; // Of the declared keys, or of the first that was used.
    private int _length;
    private int _count;

    public ScriptHost(CommandContext context)
    {
        _context = context;
        _reply = new RespReplyWriter(_output) { IsOfScript = true };
    }

    /// <summary>The one of a context; made by the first script.</summary>
    public static ScriptHost Borrow(CommandContext context) =>
        context.BorrowScriptHost<ScriptHost>(static context => new ScriptHost(context));

    public bool IsKilled => !IsShort && Present.IsKilled;

    public int ProtocolVersion { get; set; } = 2;

    /// <summary>Whether the script may not write.</summary>
    public bool IsReadOnly { get; set; }

    public bool UsesOneSlot { get; set; }

    public bool IsInCluster => _context.Server.Cluster is not null;

    public bool IsShort { get; private set; }

    public long ReplyBytesMax => IsShort ? ShortReplyBytesLimit : ReplyBytesLimit;

    private PresentScript Present => _context.Server.Scripts!.Present;

    public void Log(int level, ReadOnlySpan<byte> text) =>
        _context.Server.ScriptLogged?.Invoke(
            level, Encoding.UTF8.GetString(text[..Math.Min(text.Length, LogBytesMax)]));

    public void ClearArguments()
    {
        if (_keys.IsLarge)
            _keys = new HeldKeys();
        if (_bytes.Length > KeptBytesMax)
            _bytes = new byte[KeptBytesMax];
        if (_arguments.Length > KeptCountMax)
            _arguments = new ArgumentRange[KeptCountMax];
        _length = _count = 0;
    }

    public bool TryAddArgument(ReadOnlySpan<byte> argument)
    {
        if (argument.Length > ArgumentBytesMax - _length)
            return false;
        int needed = _length + argument.Length;
        if (needed > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(needed, Math.Min(2 * _bytes.Length, ArgumentBytesMax)));
        if (_count == _arguments.Length)
            Array.Resize(ref _arguments, 2 * _count);
        argument.CopyTo(_bytes.AsSpan(_length));
        _arguments[_count++] = new ArgumentRange(_length, argument.Length);
        _length = needed;
        return true;
    }

    /// <summary>A script begins.</summary>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="isShort">Whether it runs on a loop.</param>
    /// <param name="keys">The keys that it declares.</param>
    public void Begin(bool isReadOnly, bool isShort, RequestSlice keys)
    {
        IsShort = isShort;
        IsReadOnly = isReadOnly;
        ProtocolVersion = 2;
        UsesOneSlot = false;
        _slot = IsInCluster && keys.Count > 0 ? KeySlot.Of(keys.GetKey(0)) : SlotCheck.None;
        _holdsKeys = false;
    }

    /// <summary>The script is alone, and says that it uses no other keys, as long as it does not.</summary>
    public void HoldKeys(RequestSlice keys)
    {
        _keys.Clear();
        for (int i = 0; i < keys.Count; i++)
            _keys.Add(keys.GetKey(i));
        _keys.End();
        _database = _context.Client.Database;
        _holdsKeys = true;
        _context.Server.Databases.HoldOnly(_keys);
    }

    public ReadOnlySpan<byte> Call()
    {
        _output.Clear();
        _reply.ProtocolVersion = ProtocolVersion;
        var request = new RespRequest(_bytes.AsSpan(0, _length), _arguments.AsSpan(0, _count));
        var command = Find(request);
        if (FindProblem(command, request) is { } problem)
            Refuse(command, problem);
        else
            Execute(command!, request);
        _reply.BeginFlush();
        return _output.Written;
    }

    public bool? MayCall()
    {
        var request = new RespRequest(_bytes.AsSpan(0, _length), _arguments.AsSpan(0, _count));
        if (Find(request) is not { } command || !command.Accepts(request.Count))
            return null;
        return _context.Client.User.Rules.Check(command, request, 0, out _) == AclDenial.None;
    }

    public void CountError(ReadOnlySpan<byte> code) => CommandDispatcher.CountError(code, _context);

    private void Refuse(CommandDefinition? command, byte[] error)
    {
        _reply.Error(error);
        CommandDispatcher.CountRejection(command, _reply, _context);
    }

    private void Execute(CommandDefinition command, in RespRequest request)
    {
        var before = _context.ExchangeReply(_reply);
        try
        {
            CommandDispatcher.ExecuteInside(command, request, elsewhere: null, _context, isOfScript: true);
        }
        finally
        {
            _ = _context.ExchangeReply(before);
        }

        // The command has ended early then, since the connection would end.
        if (!_reply.Exceeds(_context.Server.Settings.ClientOutputBufferLimit))
            return;
        _reply.BeginFlush();
        _output.Clear();
        _reply.Error("ERR the reply of a command in a script is longer than client-output-buffer-limit"u8);
    }

    private CommandDefinition? Find(in RespRequest request)
    {
        var command = _context.Server.Commands.Find(request[0]);
        return command?.Subcommands is { } subcommands && request.Count > 1 ? subcommands.Find(request[1]) : command;
    }

    // In the order of Redis.
    private byte[]? FindProblem(CommandDefinition? command, in RespRequest request)
    {
        if (command is null)
            return "ERR Unknown Redis command called from script"u8.ToArray();
        if (!command.Accepts(request.Count))
            return "ERR Wrong number of args calling Redis command from script"u8.ToArray();
        if ((command.Flags & CommandFlags.NoScript) != 0)
            return "ERR This Redis command is not allowed from script"u8.ToArray();
        if (!_context.Client.User.Rules.AllowsFreely(command) && FindDenial(command, request) is { } denial)
            return denial;
        bool isWrite = (command.Flags & CommandFlags.Write) != 0;
        if (IsReadOnly && (isWrite || command.IsLikeWrite)) // PUBLISH too.
            return "ERR Write commands are not allowed from read-only scripts."u8.ToArray();
        if (_holdsKeys && !TryLeaveKeys(command, request))
            return _notAlone;
        if (isWrite && !IsShort && !Present.TryNoteWrite())
            return ScriptTexts.Killed.ToArray();
        return _context.Server.Cluster is { } cluster ? FindSlotError(cluster, command, request) : null;
    }

    // False if it needs to be alone, and is not.
    private bool TryLeaveKeys(CommandDefinition command, in RespRequest request)
    {
        if (HeldCalls.UseOnly(_keys, command, request)
            && (command.KeySpecifications.Length == 0 || _context.Client.Database == _database))
        {
            return true;
        }

        _holdsKeys = !_context.Server.Databases.TryKeepAlone();
        return !_holdsKeys;
    }

    private byte[]? FindSlotError(ClusterState cluster, CommandDefinition command, in RespRequest request)
    {
        var view = cluster.View;
        var check = new SlotCheck(view);
        check.Take(command, request);
        int? slot = UsesOneSlot ? _slot : null;
        byte[]? downError = cluster.IsUpBy(view)
            ? null
            : ClusterDown.FindErrorInScript(
                command,
                ClusterDirectives.AllowsChannelsWhenDown(_context.Server.Settings),
                ClusterDirectives.AllowsReadsWhenDown(_context.Server.Settings));
        byte[]? error = check.FindErrorInScript(downError, ref slot);
        _slot = slot ?? _slot;
        return error;
    }

    private byte[]? FindDenial(CommandDefinition command, in RespRequest request)
    {
        var user = _context.Client.User;
        var denial = user.Rules.Check(command, request, 0, out int argument);
        if (denial == AclDenial.None)
            return null;
        bool isCommand = denial == AclDenial.Command;
        string name = isCommand ? command.Name : Encoding.Latin1.GetString(AclLog.Shorten(request[argument]));
        _context.Server.LogDenial(denial, name, user.Name, _context.Client, AclLogPlace.Script);
        return isCommand ? _noCommand : denial == AclDenial.Channel ? _noChannels : _noKeys;
    }
}
