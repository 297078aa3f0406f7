namespace Cache.Server.Commands.Scripts;

/// <summary>Error replies about scripts.</summary>
internal static class ScriptTexts
{
    public static ReadOnlySpan<byte> Killed => "ERR Script killed by user with SCRIPT KILL..."u8;

    public static ReadOnlySpan<byte> NoScript => "NOSCRIPT No matching script. Please use EVAL."u8;

    public static ReadOnlySpan<byte> NoFunction => "ERR Function not found"u8;

    public static ReadOnlySpan<byte> RefusesCluster =>
        "ERR Can not run script on cluster, 'no-cluster' flag is set."u8;

    public static ReadOnlySpan<byte> MayWrite =>
        "ERR Can not execute a script with write flag using *_ro command."u8;

    public static ReadOnlySpan<byte> NoneRuns => "NOTBUSY No scripts in execution right now."u8;

    public static ReadOnlySpan<byte> HasWritten =>
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the "u8
        + "script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."u8;

    public static ReadOnlySpan<byte> NoInterpreter =>
        "ERR this server runs no scripts: its program has to add the package Cache.Scripting, and to call "u8
        + "UseScripting"u8;
}
