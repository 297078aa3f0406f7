using System.IO.Pipelines;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Connections;

/// <remarks>
/// Suspension: a request that gave way stays whole, where requests are put together, its arguments in the reader; what
/// came before it was executed, and its replies leave; nothing behind it is read. So nothing of a read is held, and the
/// connection ends as any other does while it waits. Once the wait is over the request is executed as if it had just
/// come. It waits for one of the <see cref="LongWorkers"/>, or, where its command has parked the client, for the end of
/// that <see cref="Suspension"/>; after it the connection goes on there until it waits for bytes, which the thread of
/// its transport brings. States:
/// reading → (a command gives way) suspended → (a worker takes it, or the suspension ends) executing → reading, or
/// suspended again.
/// </remarks>
internal sealed partial class Connection<TExecutor>
{
    // What arrives faster than it is executed would keep a worker for itself.
    private const int ReadsElsewhereMax = 16;

    // Whether the request that lies aside is complete, and waits.
    private bool _isSuspended;

    // How many reads more may be taken on the worker's thread; 0: it is not the worker's.
    private byte _readsElsewhere;

    // What the command that waits has done so far.
    private CommandProgress? _progress;

    // How the wait of a command has ended that then gave way to a worker.
    private SuspensionEnd _suspensionEnd;

    private void Suspend(ReadOnlySpan<byte> bytes)
    {
        if (StraddlingBytes == 0)
            Straddling.Append(bytes[..Reader.Consumed], Reader.Consumed);
        _progress = Context.Progress;
        Context.Progress = null;
        _suspensionEnd = Context.SuspensionEnd;
        _isSuspended = true;
    }

    /// <summary>Executes the request that waits, on another thread.</summary>
    /// <returns>False if the connection ends without a reply.</returns>
    private async ValueTask<bool> ResumeAsync()
    {
        bool isParked = _client.IsParked;
        if (isParked)
            _suspensionEnd = await ParkAsync().ConfigureAwait(false);
        else
            await _workers.EnterAsync(_client.LastCommand is { IsAdministrative: true });
        _readsElsewhere = ReadsElsewhereMax;
        _client.Turn.Begin();
        if (_client.ShouldClose)
            return false;
        TakeSuspended(isElsewhere: !isParked);
        return true;
    }

    // Its replies have left, so that others may write.
    private async ValueTask<SuspensionEnd> ParkAsync()
    {
        var outbox = _client.Outbox;
        if (outbox is not null)
            await BeginRestAsync(outbox).ConfigureAwait(false);
        var end = await _client.Suspension.WaitAsync(_server.TimeProvider).ConfigureAwait(false);
        if (outbox?.TryResume() is { } resumed)
            await resumed.ConfigureAwait(false);
        return end;
    }

    // What was parked shares its thread as before, and may give way to a worker.
    private void TakeSuspended(bool isElsewhere)
    {
        BeginRead(readBytes: 0, isElsewhere);
        Context.SuspensionEnd = _suspensionEnd;
        Context.Progress = _progress;
        _progress = null;
        _isSuspended = false;
        HoldInput(); // What the command gives to the store counts there, and must not count twice.
        End(RespReadStatus.Complete, Straddling.Span);
        if (!_isSuspended)
            DropStraddling();
        EndRead(readBytes: 0);
    }

    private ValueTask<ReadResult> ReadElsewhere(ValueTask<ReadResult> read)
    {
        if (_readsElsewhere == 0)
            return read;
        if (!read.IsCompleted)
            _readsElsewhere = 0;
        else if (--_readsElsewhere == 0)
            return LeaveAsync(read);
        return read;
    }

    private static async ValueTask<ReadResult> LeaveAsync(ValueTask<ReadResult> read)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        return await read.ConfigureAwait(false);
    }

    private void DropSuspended()
    {
        _isSuspended = false;
        _client.IsServed = false;
        _progress?.Dispose();
        _progress = null;
    }
}
