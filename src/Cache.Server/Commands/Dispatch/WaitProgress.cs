using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Dispatch;

/// <summary>A command that waits for a change of keys, until it has replied.</summary>
/// <param name="waiter">What it waits for.</param>
/// <param name="table">The table in which it stands.</param>
internal sealed class WaitProgress(Waiter waiter, WaitTable table) : CommandProgress
{
    public Waiter Waiter => waiter;

    /// <summary>Whether clients of MONITOR have seen the call: they do when it begins to wait.</summary>
    public bool IsShown { get; private set; }

    public override long MemoryBytes => waiter.MemoryBytes;

    public override bool WasAllowed => true;

    /// <summary>Shows the call to the clients of MONITOR, once.</summary>
    public void Show(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (!IsShown)
            context.Server.Monitors.Show(command, request, context.LongArgument, context.Client);
        IsShown = true;
    }

    // Of a client that ends too: a wake-up that it did not use goes to the next one.
    public override void Dispose()
    {
        table.Abandon(waiter);
        waiter.Client.Outbox?.EndReply(); // Behind its reply, if it was served.
    }
}
