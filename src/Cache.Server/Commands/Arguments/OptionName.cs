using System.Text;

namespace Cache.Server.Commands.Arguments;

/// <summary>The name of a command's option, as in NX or KEEPTTL.</summary>
internal static class OptionName
{
    /// <summary>Whether an argument is the option, in any case, up to a zero byte, where C's strings end.</summary>
    public static bool Is(this ReadOnlySpan<byte> argument, ReadOnlySpan<byte> name)
    {
        if (argument.Length > name.Length && argument[name.Length] == 0)
            argument = argument[..name.Length];
        return Ascii.EqualsIgnoreCase(argument, name);
    }
}
