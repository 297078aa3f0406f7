using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <remarks>
/// Suspension: a request that gave way is kept whole in the buffer for straddling requests, its arguments in the
/// reader. The requests before it were executed, and their replies are sent; nothing behind it is read. So no input
/// buffer of the transport is held, and a waiting connection can end like any other. After the wait the request is
/// executed as if it had just arrived. It waits for one of the <see cref="LongWorkers"/>, or, if its command has parked
/// the client, for the end of that <see cref="Suspension"/>; then the connection continues on that thread until it
/// waits for bytes, and after that on the transport's. States:
/// reading → (a command gives way) suspended → (a worker takes it, or the suspension ends) executing → reading, or
/// suspended again.
/// </remarks>
internal sealed partial class Connection<TExecutor>
{
    // A client whose requests arrive faster than they are executed must not occupy a worker.
    private const int ReadsElsewhereMax = 16;

    // If more was received while the client was parked, a thread of the pool goes on: a megabyte of PING takes as long
    // as ten rounds of the loop, and a hundred clients may be woken together.
    private const int AheadBytesHere = 128 * 1024;

    // Whether the kept request is complete, and waits; and whether it waits for its thread alone.
    private bool _isSuspended;
    private bool _staysHere;

    // The further reads that may be handled on the worker's thread; 0: not on a worker's thread.
    private byte _readsElsewhere;

    // The state of the waiting command.
    private CommandProgress? _progress;

    // How a command's suspension ended before the command gave way to a worker.
    private SuspensionEnd _suspensionEnd;

    private void Suspend(ReadOnlySpan<byte> bytes)
    {
        if (StraddlingBytes == 0)
            Straddling.Append(bytes[..Reader.Consumed], Reader.Consumed);
        _progress = Context.Progress;
        Context.Progress = null;
        _suspensionEnd = Context.SuspensionEnd;
        _staysHere = _client.LastCommand is { RunsScript: true } && !Context.IsAtWorker
            && _client.Turn.IsOver(_server.TimeProvider); // If there is another reason too, it goes elsewhere then.
        _isSuspended = true;
    }

    /// <summary>Executes the request that waits, on another thread.</summary>
    /// <returns>False if the connection ends without a reply.</returns>
    private async ValueTask<bool> ResumeAsync()
    {
        bool isParked = _client.IsParked;
        bool isElsewhere = !isParked && !_staysHere;
        if (isParked)
            await ParkAsync().ConfigureAwait(false);
        else if (_staysHere)
            await new NextTurn(_transport);
        else
            await _workers.EnterAsync(_client.LastCommand is { IsAdministrative: true });
        if (!_staysHere)
            _readsElsewhere = ReadsElsewhereMax;
        _client.Turn.Begin();
        while (!_client.ShouldClose)
        {
            if (TryTakeSuspended(isElsewhere))
                return true;
            await Task.Delay(Databases.BusyPoll, TimeProvider.System).ConfigureAwait(false); // A script takes long.
        }

        return false;
    }

    // Its replies were sent, so others may write.
    private async ValueTask ParkAsync()
    {
        _client.IsWaiting = true; // Before it looks for an outbox.
        if (_client.Outbox is { } outbox)
            await BeginRestAsync(outbox).ConfigureAwait(false);
        var suspension = _client.Suspension;
        suspension.Post ??= _transport.Post;
        suspension.IsPeerGone ??= () => _transport.IsPeerGone;
        bool isPaused = suspension.Reason == SuspensionReason.Pause;
        bool isAhead = _client.IsBlocked; // The end of its peer ends the wait, wherever it stands.
        if (isAhead)
            _transport.ReceiveAhead(isOn: true);
        var end = await suspension.WaitAsync(_server.TimeProvider).ConfigureAwait(false);
        long aheadBytes = isAhead ? _transport.AheadMemoryBytes : 0;
        if (isAhead)
            _transport.ReceiveAhead(isOn: false);
        if (aheadBytes > AheadBytesHere)
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (isPaused && _transport.IsPeerGone)
            _client.Kill(); // As in Redis, what it has sent is not executed any more.
        _client.IsWaiting = false;
        if (_client.Outbox?.TryResume() is { } resumed)
            await resumed.ConfigureAwait(false);
        if (!isPaused || end == SuspensionEnd.Closing)
            _suspensionEnd = end; // The end of a pause is not that of a command's wait.
    }

    // A parked request shares its thread as before, and may give way to a worker. False: not now, see TryEnter.
    private bool TryTakeSuspended(bool isElsewhere)
    {
        BeginContext(isElsewhere);
        if (!Context.TryEnter(hasBegun: _progress is not null))
        {
            GiveBackContext();
            return false;
        }

        BeginRead(readBytes: 0);
        Context.SuspensionEnd = _suspensionEnd;
        Context.Progress = _progress;
        _progress = null;
        _isSuspended = false;
        HoldInput(); // What the command hands to the store is counted there, and must not be counted twice.
        End(RespReadStatus.Complete, Straddling.Span);
        if (!_isSuspended)
            DropStraddling();
        EndRead(readBytes: 0);
        return true;
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

    // Awaited, it continues on the transport's thread, when the clients of that have had their turns.
    private readonly struct NextTurn(TransportConnection transport) : ICriticalNotifyCompletion
    {
        public bool IsCompleted => false;

        public NextTurn GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) =>
            transport.Post(static next => ((Action)next)(), continuation);

        public void UnsafeOnCompleted(Action continuation) => OnCompleted(continuation);
    }

    private void DropSuspended()
    {
        _isSuspended = false;
        _client.IsServed = false;
        _progress?.Dispose();
        _progress = null;
    }
}
