using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Security;

/// <summary>
/// A set of commands with the keys and channels that they may be used on: a user's own, or one in parentheses.
/// </summary>
/// <remarks>
/// Built by one thread; a user's selector is never changed, but replaced by a copy. Text is Latin-1, a char is a byte.
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
        _commands[command.AclIndex] && (_hasAllKeys || command.KeySpecifications.Length == 0)
        && (_hasAllChannels || command.Channels == ChannelArguments.None);

    /// <summary>Whether a request may be executed; if not, the reason, and the argument that caused it.</summary>
    public AclDenial Check(CommandDefinition command, in RespRequest request, int start, out int argument)
    {
        argument = start;
        if (!AllowsCommand(command, request, start))
            return AclDenial.Command;
        return TryDenyKey(command, request, start, ref argument) ? AclDenial.Key
            : TryDenyChannel(command, request, start, ref argument) ? AclDenial.Channel
            : AclDenial.None;
    }

    /// <summary>Whether a channel may be used; of a pattern, whether the same pattern is allowed.</summary>
    public bool AllowsChannel(ReadOnlySpan<byte> name, bool isPattern)
    {
        if (_hasAllChannels)
            return true;
        foreach (string allowed in _channels)
        {
            byte[] pattern = Encoding.Latin1.GetBytes(allowed);
            if (isPattern ? name.SequenceEqual(pattern) : new GlobPattern(pattern).IsMatch(name))
                return true;
        }

        return false;
    }

    private bool TryDenyKey(CommandDefinition command, in RespRequest request, int start, ref int argument)
    {
        if (_hasAllKeys)
            return false;
        var keys = new KeyEnumerator(command, request, start);
        while (keys.MoveNext())
        {
            argument = keys.Index;
            if (!AllowsKey(request[keys.Index], keys.Access))
                return true;
        }

        return false;
    }

    private bool TryDenyChannel(CommandDefinition command, in RespRequest request, int start, ref int argument)
    {
        if (_hasAllChannels || command.Channels == ChannelArguments.None)
            return false;
        bool isPattern = command.Channels == ChannelArguments.Patterns;
        int end = command.Channels == ChannelArguments.One ? start + 2 : request.Count;
        for (int i = start + 1; i < end; i++)
        {
            argument = i;
            if (!AllowsChannel(request[i], isPattern))
                return true;
        }

        return false;
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
