using System.Text;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Security;

/// <summary>
/// A set of commands with the keys and channels that they may be used on: a user's own, or one in parentheses.
/// </summary>
/// <remarks>
/// Built by one thread; a user's selector is never changed, but replaced by a copy. Text is Latin-1, a char is a byte.
/// Channels are kept for files of users only: there are no commands on channels here.
/// </remarks>
internal sealed partial class AclSelector
{
    private readonly AclCommandSet _commands;
    private readonly Dictionary<int, List<string>> _firstArguments = [];
    private readonly List<AclKeyPattern> _keys = [];
    private readonly List<string> _channels = [];
    private bool _hasAllKeys;
    private bool _hasAllChannels;

    public AclSelector() => _commands = new AclCommandSet();

    private AclSelector(AclSelector other)
    {
        _commands = other._commands.Copy();
        foreach (var (command, words) in other._firstArguments)
            _firstArguments.Add(command, [.. words]);
        _keys.AddRange(other._keys);
        _channels.AddRange(other._channels);
        _hasAllKeys = other._hasAllKeys;
        _hasAllChannels = other._hasAllChannels;
    }

    public AclSelector Copy() => new(this);

    /// <summary>Whether a command may be used with any keys.</summary>
    public bool AllowsFreely(CommandDefinition command) =>
        _commands[command.AclIndex] && (_hasAllKeys || command.KeySpecifications.Length == 0);

    /// <summary>Whether a request may be executed; if not, the reason, and the argument that caused it.</summary>
    public AclDenial Check(CommandDefinition command, in RespRequest request, int start, out int argument)
    {
        argument = start;
        if (!AllowsCommand(command, request, start))
            return AclDenial.Command;
        if (_hasAllKeys)
            return AclDenial.None;
        var keys = new KeyEnumerator(command, request, start);
        while (keys.MoveNext())
        {
            argument = keys.Index;
            if (!AllowsKey(request[keys.Index], keys.Access))
                return AclDenial.Key;
        }

        return AclDenial.None;
    }

    /// <summary>Whether the value of any key may be read, whatever its name.</summary>
    public bool ReadsAnyKey =>
        _hasAllKeys || _keys.Exists(static pattern => pattern.Text == "*" && (pattern.Access & AclKeyAccess.Read) != 0);

    private bool AllowsCommand(CommandDefinition command, in RespRequest request, int start)
    {
        if (_commands[command.AclIndex] || (command.Flags & CommandFlags.NoAuth) != 0)
            return true;
        if (request.Count - start < 2 || !_firstArguments.TryGetValue(command.AclIndex, out var words))
            return false;
        foreach (string word in words)
        {
            if (Ascii.EqualsIgnoreCase(request[start + 1], word))
                return true;
        }

        return false;
    }

    private bool AllowsKey(ReadOnlySpan<byte> key, AclKeyAccess access)
    {
        foreach (var pattern in _keys)
        {
            if (pattern.Allows(key, access))
                return true;
        }

        return false;
    }
}
