namespace Cache.Server.Commands.Scripts;

/// <summary>Error replies about scripts.</summary>
internal static class ScriptTexts
{
    public static ReadOnlySpan<byte> Killed => "ERR Script killed by user with SCRIPT KILL..."u8;

    public static ReadOnlySpan<byte> NoScript => "NOSCRIPT No matching script. Please use EVAL."u8;

    public static ReadOnlySpan<byte> NoInterpreter =>
        "ERR this server runs no scripts: its program has to add the package Cache.Scripting, and to call "u8
        + "UseScripting"u8;
}
