using System.Buffers;
using System.IO.Pipelines;
using Cache.Server.Clients;

namespace Cache.Server.Connections;

/// <remarks>
/// Pushes: a client that others push to has an <see cref="Outbox"/>, which says whose turn it is to write. The
/// connection has the turn while it executes and sends; it rests while it waits for bytes, or is parked with its
/// replies sent. Then a message makes the transport's thread write: <see cref="DrainAsync"/>. A read stays pending
/// meanwhile, so that TLS, whose reads cannot be canceled, needs no special treatment. An outbox that another client
/// has made (REDIRECT) while this waited is met when the wait has ended.
/// </remarks>
internal sealed partial class Connection<TExecutor> : IClientConnection
{
    /// <inheritdoc/>
    public void WakeToWrite() => _transport.Post(static self => _ = ((Connection<TExecutor>)self).DrainAsync(), this);

    /// <inheritdoc/>
    public bool TryBeginLong() => _transport.TryBeginLong();

    /// <inheritdoc/>
    public void EndLong() => _transport.EndLong();

    /// <summary>Lets others write while the read is awaited, unless there is more to do before.</summary>
    /// <returns>False if there is.</returns>
    private bool TryRest(Outbox outbox, bool isReadCompleted) =>
        isReadCompleted || (!outbox.IsUnmet && outbox.TryRest(this));

    /// <summary>Writes the pushed messages, then waits for bytes, and lets others write meanwhile.</summary>
    /// <remarks>
    /// Only if <see cref="TryRest"/> does not suffice: while it waits it takes more memory than the subscriptions. The
    /// turn is taken back by who awaits it.
    /// </remarks>
    private async ValueTask<ReadResult> RestAsync(Outbox outbox, ValueTask<ReadResult> read)
    {
        await MeetAsync(outbox).ConfigureAwait(false);

        // Others may push without end, and faster than this writes: what has arrived meanwhile comes first.
        for (bool isFirst = true; !read.IsCompleted && !outbox.TryRest(this); isFirst = false)
            await WriteBeforeRestAsync(outbox, isFirst).ConfigureAwait(false);
        return await read.ConfigureAwait(false);
    }

    // If the peer receives no more, messages are dropped as replies are; the read reports that it has gone.
    private async ValueTask BeginRestAsync(Outbox outbox)
    {
        await MeetAsync(outbox).ConfigureAwait(false);
        for (bool isFirst = true; !outbox.TryRest(this); isFirst = false)
            await WriteBeforeRestAsync(outbox, isFirst).ConfigureAwait(false);
    }

    // Another client may have made it, and its messages may be written at this moment.
    private static ValueTask MeetAsync(Outbox outbox) =>
        outbox.IsUnmet && outbox.TryResume() is { } resumed ? new ValueTask(resumed) : default;

    private async ValueTask<bool> TakeResumedAsync(Task resumed, ReadResult read)
    {
        await resumed.ConfigureAwait(false);
        return IsLongWork(read.Buffer.Length) ? await TakeElsewhereAsync(read).ConfigureAwait(false) : Take(read);
    }

    private async ValueTask WriteBeforeRestAsync(Outbox outbox, bool isFirst)
    {
        if (!isFirst) // As below; on another thread, for the connection does more than write.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await WriteMessagesAsync(outbox).ConfigureAwait(false);
    }

    /// <summary>Writes pushed messages while the connection rests. Never fails.</summary>
    private Task DrainAsync() => _client.Outbox!.TryBeginDrain() ? DrainOnAsync() : Task.CompletedTask;

    // One flush, then the thread serves others: a client that pushes as fast as this writes must not occupy it.
    private async Task DrainOnAsync()
    {
        var outbox = _client.Outbox!;
        try
        {
            bool isOver = !await WriteMessagesAsync(outbox).ConfigureAwait(false);
            if (!outbox.TryEndDrain(isOver))
                _transport.Post(static self => _ = ((Connection<TExecutor>)self).DrainOnAsync(), this);
            return;
        }
#pragma warning disable CA1031 // A failure in one connection ends only that connection.
        catch (Exception e)
#pragma warning restore CA1031
        {
            TellEnd(e);
        }

        _client.Kill();
        outbox.TryEndDrain(isOver: true);
    }

    /// <summary>Writes and sends as many messages as one flush takes.</summary>
    /// <returns>Whether the peer can still receive.</returns>
    private ValueTask<bool> WriteMessagesAsync(Outbox outbox)
    {
        long bytes = 0;
        while (bytes < FlushBytes && outbox.TryTake(out var message))
        {
            _transport.Output.Write(message.Span);
            bytes += message.Length;
        }

        if (bytes == 0)
            return ValueTask.FromResult(true);
        var context = _server.Contexts.Borrow();
        context.Counters.Traffic.OutputBytes += bytes;
        context.Counters.Traffic.Writes++;
        _client.OutputBytes += bytes;
        _server.Contexts.GiveBack(context);
        _lentBytes = 0;
        _client.PendingOutputBytes = bytes;
        return FlushAsync();
    }

    // A write that is under way ends soon: if the peer receives nothing, the sweep ends the client.
    private static async ValueTask CloseOutboxAsync(Outbox outbox)
    {
        if (outbox.TryResume() is { } resumed)
            await resumed.ConfigureAwait(false);
        outbox.Close();
    }
}
