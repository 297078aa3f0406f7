using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>What <see cref="LoneScript"/> runs: a script, or a function.</summary>
internal interface ILoneScript
{
    /// <summary>Finds what is to run, and notes that it does.</summary>
    /// <returns>The error reply; empty: it may run, and <see cref="End"/> is called afterwards.</returns>
    ReadOnlySpan<byte> Begin(in RespRequest request, CommandContext context);

    /// <summary>Runs it.</summary>
    void Run(
        in RespRequest request, int keyCount, IScriptInterpreter interpreter, ScriptHost host, CommandContext context);

    /// <summary>It has ended.</summary>
    void End(CommandContext context);
}
