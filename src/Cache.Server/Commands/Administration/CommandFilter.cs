using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Administration;

/// <summary>The filters of COMMAND LIST FILTERBY.</summary>
internal static class CommandFilter
{
    /// <summary>Whether there is a filter of that name.</summary>
    public static bool IsKnown(ReadOnlySpan<byte> filter) =>
        filter.Is("MODULE"u8) || filter.Is("ACLCAT"u8) || filter.Is("PATTERN"u8);

    /// <summary>Whether a command passes a filter. There are no modules, so no command belongs to one.</summary>
    public static bool Matches(CommandDefinition command, ReadOnlySpan<byte> filter, ReadOnlySpan<byte> value)
    {
        if (filter.Is("PATTERN"u8))
            return new GlobPattern(value, ignoreCase: true).IsMatch(command.NameBytes);
        return filter.Is("ACLCAT"u8) && HasCategory(command, value);
    }

    private static bool HasCategory(CommandDefinition command, ReadOnlySpan<byte> category)
    {
        foreach (string name in command.Categories)
        {
            if (Ascii.EqualsIgnoreCase(category, name.AsSpan(1)))
                return true;
        }

        return false;
    }
}
