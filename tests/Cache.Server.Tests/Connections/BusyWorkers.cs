using Cache.Server.Connections;

namespace Cache.Server.Tests.Connections;

/// <summary>Keeps every worker of a server until a gate opens, so that what comes now waits.</summary>
internal static class BusyWorkers
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>When this returns, all workers wait for the gate; the task ends when they have gone on.</summary>
    public static Task Block(RespServer server, ManualResetEventSlim gate)
    {
        using var blocked = new CountdownEvent(LongWorkers.ThreadsMax);
        var blocks = new Task[LongWorkers.ThreadsMax];
        for (int i = 0; i < blocks.Length; i++)
            blocks[i] = BlockOneAsync(server.Workers, blocked, gate);
        blocked.Wait(Token);
        return Task.WhenAll(blocks);
    }

    private static async Task BlockOneAsync(LongWorkers workers, CountdownEvent blocked, ManualResetEventSlim gate)
    {
        await workers.EnterAsync();
        blocked.Signal();
        gate.Wait(Token);
    }
}
