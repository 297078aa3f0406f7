using Cache.Server.Commands.Table;

namespace Cache.Server.Security;

/// <summary>The rules that change a selector.</summary>
internal sealed partial class AclSelector
{
    /// <summary>Applies one rule.</summary>
    /// <returns>Null, or the error in Redis's words.</returns>
    public string? TryApply(string rule)
    {
        switch (rule.ToLowerInvariant())
        {
            case "":
                return null;
            case "allkeys" or "~*":
                return SetKeys(all: true);
            case "resetkeys":
                return SetKeys(all: false);
            case "allchannels" or "&*":
                return SetChannels(all: true);
            case "resetchannels":
                return SetChannels(all: false);
            case "allcommands" or "+@all":
                return SetCommands(all: true);
            case "nocommands" or "-@all":
                return SetCommands(all: false);
        }

        return rule[0] switch
        {
            '~' => AddKeys(rule[1..], AclKeyAccess.All),
            '%' => AddKeysFor(rule),
            '&' => AddChannels(rule[1..]),
            '+' or '-' when rule is [_, '@', ..] => ApplyCategory(rule),
            '+' => AllowCommand(rule[1..]),
            '-' => DenyCommand(rule[1..]),
            _ => AclErrors.Syntax,
        };
    }

    private string? SetKeys(bool all)
    {
        _hasAllKeys = all;
        _keys.Clear();
        return null;
    }

    private string? SetChannels(bool all)
    {
        _hasAllChannels = all;
        _channels.Clear();
        return null;
    }

    private string? SetCommands(bool all)
    {
        _commands.SetAll(all);
        _firstArguments.Clear();
        return null;
    }

    // %R~pattern, %W~pattern, %RW~pattern
    private string? AddKeysFor(string rule)
    {
        if (_hasAllKeys)
            return AclErrors.PatternAfterAllKeys;
        int end = rule.IndexOf('~', StringComparison.Ordinal);
        var access = AclKeyAccess.None;
        for (int i = 1; i < (end < 0 ? rule.Length : end); i++)
        {
            var one = char.ToUpperInvariant(rule[i]) switch
            {
                'R' => AclKeyAccess.Read,
                'W' => AclKeyAccess.Write,
                _ => AclKeyAccess.None,
            };
            if (one == AclKeyAccess.None || (access & one) != 0)
                return AclErrors.Syntax;
            access |= one;
        }

        // Without a tilde the pattern is empty, as in Redis.
        return access == AclKeyAccess.None ? AclErrors.Syntax : AddKeys(end < 0 ? "" : rule[(end + 1)..], access);
    }

    private string? AddKeys(string pattern, AclKeyAccess access)
    {
        if (_hasAllKeys)
            return AclErrors.PatternAfterAllKeys;
        if (AclText.HasSpaceOrNul(pattern))
            return AclErrors.Syntax;
        int same = _keys.FindIndex(each => each.Text == pattern);
        if (same < 0)
            _keys.Add(new AclKeyPattern(pattern, access));
        else
            _keys[same] = new AclKeyPattern(pattern, _keys[same].Access | access);
        return null;
    }

    private string? AddChannels(string pattern)
    {
        if (_hasAllChannels)
            return AclErrors.PatternAfterAllChannels;
        if (AclText.HasSpaceOrNul(pattern))
            return AclErrors.Syntax;
        if (!_channels.Contains(pattern))
            _channels.Add(pattern);
        return null;
    }

    private string? ApplyCategory(string rule)
    {
        uint category = AclCategories.Find(rule[2..]);
        if (category == 0)
            return AclErrors.Unknown;
        _commands.SetCategory(category, rule[0] == '+');
        foreach (var command in AclCommandTable.Default.All)
        {
            if ((command.Categories & category) != 0)
                _firstArguments.Remove(command.Index);
        }

        return null;
    }

    private string? DenyCommand(string name)
    {
        if (AclCommandTable.Default.Find(name) is not { } command)
            return AclErrors.Unknown;
        Set(command, value: false);
        return null;
    }

    private string? AllowCommand(string name)
    {
        int bar = name.LastIndexOf('|');
        var command = AclCommandTable.Default.Find(bar < 0 ? name : name[..bar]);
        if (command is null)
            return AclErrors.Unknown;
        if (bar < 0)
        {
            Set(command, value: true);
            return null;
        }

        if (command.Parent is not null)
            return AclErrors.FirstArgumentOfSubcommand;
        string word = name[(bar + 1)..];
        if (word.Length == 0)
            return AclErrors.Syntax;
        if (command.Subcommands.Count > 0)
            return AllowSubcommand(name);
        AllowFirstArgument(command.Index, word);
        return null;
    }

    private string? AllowSubcommand(string name)
    {
        if (AclCommandTable.Default.Find(name) is not { } subcommand)
            return AclErrors.Unknown;
        Set(subcommand, value: true);
        return null;
    }

    private void AllowFirstArgument(int command, string word)
    {
        if (!_firstArguments.TryGetValue(command, out var words))
            _firstArguments.Add(command, words = []);
        if (!words.Exists(each => each.Equals(word, StringComparison.OrdinalIgnoreCase)))
            words.Add(word);
    }

    private void Set(AclCommand command, bool value)
    {
        _commands.Set(command, value);
        _firstArguments.Remove(command.Index);
    }
}
