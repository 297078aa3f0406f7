using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>Runs a simple script, or a simple function, with its keys locked, on the thread of the loop.</summary>
internal static class SimpleCall
{
    /// <summary>Runs it, and writes its reply.</summary>
    /// <param name="code">The script, or the function.</param>
    /// <param name="request">The request, checked.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client, outside of a section.</param>
    /// <returns>False: it has to be alone, and nothing was done.</returns>
    public static bool TryExecute(
        SimpleCode code, in RespRequest request, int keyCount, bool isReadOnly, CommandContext context)
    {
        if (code.Plan is not ScriptPlan plan || !plan.TryDeclare(request, keyCount, context))
            return false;
        var body = new Locked(request, code, keyCount, isReadOnly);
        AtomicSection.Run(context.Keys, ref body, context);
        return true;
    }

    private readonly ref struct Locked(RespRequest request, SimpleCode code, int keyCount, bool isReadOnly)
        : IAtomicBody
    {
        private readonly RespRequest _request = request;

        public void Run(CommandContext context)
        {
            ShownScript.Show(_request, context);
            var host = ScriptHost.Borrow(context);
            host.Begin(isReadOnly, isShort: true, new RequestSlice(_request, 3, keyCount));
            context.Server.Scripts!.Simple.Run(code, _request, keyCount, host, context.Reply);
            host.ClearArguments();
        }
    }
}
