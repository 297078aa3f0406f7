using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>What the script or the function of a request says of itself, before it is called.</summary>
internal static class CalledScript
{
    /// <summary>Finds it.</summary>
    /// <param name="command">The command in lower case: EVAL, FCALL, or one of their forms.</param>
    /// <param name="request">The request, whose number of words was checked.</param>
    /// <param name="scripts">The scripts of the server; null: it has no interpreter.</param>
    /// <param name="functions">Its functions.</param>
    /// <returns>Null: nothing, or it is not known.</returns>
    public static ScriptFlags? FindFlags(
        string command, in RespRequest request, ServerScripts? scripts, ServerFunctions? functions) => command switch
        {
            "fcall" or "fcall_ro" =>
                functions is not null && functions.Table.TryFind(request[1], out var function)
                    ? function.Info.Flags
                    : null,
            "eval" or "eval_ro" => scripts?.ReadFlags(request[1]),
            _ => scripts?.FindFlags(request[1]),
        };
}
