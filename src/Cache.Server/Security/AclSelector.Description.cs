using System.Text;
using Cache.Server.Commands.Table;

namespace Cache.Server.Security;

/// <summary>Describes a selector as rules.</summary>
internal sealed partial class AclSelector
{
    /// <summary>Keys as rules: "~a* %R~b*"; "~*" for all.</summary>
    public string DescribeKeys() => _hasAllKeys ? "~*" : string.Join(' ', _keys);

    /// <summary>Channels as rules: "&amp;a &amp;b"; "&amp;*" for all.</summary>
    public string DescribeChannels() =>
        _hasAllChannels ? "&*" : string.Join(' ', _channels.ConvertAll(static channel => "&" + channel));

    /// <summary>Everything, as ACL LIST shows it.</summary>
    public string Describe()
    {
        var text = new StringBuilder();
        string keys = DescribeKeys();
        if (keys.Length > 0)
            text.Append(keys).Append(' ');
        if (!_hasAllChannels)
            text.Append("resetchannels ");
        string channels = DescribeChannels();
        if (channels.Length > 0)
            text.Append(channels).Append(' ');
        return text.Append(DescribeCommands()).ToString();
    }

    /// <summary>Commands as rules.</summary>
    /// <remarks>
    /// Redis's algorithm, so that the texts are the same: begins with all commands or none, repeatedly takes the
    /// category that fits best, and then names the remaining commands. The rules are applied to another set as they are
    /// found, which equals this one in the end.
    /// </remarks>
    public string DescribeCommands()
    {
        bool isAdditive = !_commands.HasFuture;
        var rules = new StringBuilder(isAdditive ? "-@all" : "+@all");
        var described = new AclCommandSet();
        described.SetAll(!isAdditive);
        DescribeCategories(rules, described, isAdditive);
        DescribeCommands(rules, described);
        return rules.ToString();
    }

    private void DescribeCategories(StringBuilder rules, AclCommandSet described, bool isAdditive)
    {
        var rest = _commands.Copy();
        uint applied = 0;
        while (FindBestCategory(rest, applied, isAdditive) is { } best)
        {
            uint category = 1u << best;
            described.SetCategory(category, isAdditive);
            rest.SetCategory(category, !isAdditive);
            rules.Append(isAdditive ? " +@" : " -@").Append(AclCategories.Names[best]);
            applied |= category;
        }
    }

    private static int? FindBestCategory(AclCommandSet rest, uint applied, bool isAdditive)
    {
        int? best = null;
        int leastOther = int.MaxValue;
        int mostSame = 0;
        for (int i = 0; i < AclCategories.Names.Count; i++)
        {
            if ((applied >> i & 1) != 0)
                continue;
            var (on, off) = rest.CountCategory(1u << i);
            var (same, other) = isAdditive ? (on, off) : (off, on);
            if (same <= other || other > leastOther || (other == leastOther && same <= mostSame))
                continue;
            best = i;
            leastOther = other;
            mostSame = same;
        }

        return best;
    }

    private void DescribeCommands(StringBuilder rules, AclCommandSet described)
    {
        foreach (var command in AclCommandTable.Default.All)
        {
            bool isAllowed = _commands[command.Index];
            if (isAllowed != described[command.Index])
            {
                rules.Append(isAllowed ? " +" : " -").Append(command.Name);
                described.Set(command, isAllowed);
            }

            if (isAllowed || !_firstArguments.TryGetValue(command.Index, out var words))
                continue;
            foreach (string word in words)
                rules.Append(" +").Append(command.Name).Append('|').Append(word);
        }
    }
}
