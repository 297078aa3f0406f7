using System.IO.Pipelines;
using System.Net.Sockets;
using Cache.Durability;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Diagnostics;
using Cache.Server.Protocol;
using Cache.Server.Settings;
using Cache.Server.Transport;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>Serves one client: read → parse → dispatch → flush, until either side closes.</summary>
/// <remarks>
/// Algorithm: a read is parsed in place. Complete requests are executed one after the other; their replies collect in
/// the output pipe and are sent by one flush at the end of the read, or earlier when they have grown large. The rest is
/// the beginning of one request: it is copied (<see cref="StraddlingRequest"/>), topped up by the next reads, and not
/// parsed again before the bytes that the reader needs have arrived. So the input is always consumed completely, or up
/// to the point where an early flush stopped it; no byte is examined without being consumed.
/// Concurrency: one thread at a time, the one that completed the awaited operation. Other threads end a connection only
/// through its transport.
/// Bounds: while a flush waits for a slow client nothing is read, and the transport's own bound stops receiving; the
/// sweep ends a client that receives nothing for too long.
/// Unflushed replies are bounded by <see cref="FlushBytes"/> and one command, an incomplete request by the limits.
/// </remarks>
internal sealed partial class Connection<TExecutor>
    where TExecutor : struct, IRequestExecutor
{
    // Replies of this length are flushed within a read. The transport pauses at the same length, so more would only
    // wait.
    private const int FlushBytes = 64 * 1024;

    // A longer request is moved to larger memory, and executed, on a thread of the pool: copying it would delay the
    // other connections.
    private const int LongRequestBytes = 2 * 1024 * 1024;

    private readonly TransportConnection _transport;
    private readonly ClientSession _client;
    private readonly ServerState _server;
    private readonly ILogger _logger;
    private readonly TExecutor _executor;
    private readonly LongWorkers _workers;

    // Whether no more input will come, and whether all requests were executed.
    private bool _hasEnded;
    private bool _tookAll;

    // Borrowed for a read; the connection keeps the reader while a request straddles reads.
    private CommandContext? _context;
    private RespRequestReader? _reader;

    // The request that began in an earlier read; null before the first one.
    private StraddlingRequest? _straddling;

    // The number of failures of the journal when the read began.
    private long _suspensionsBefore;

    // The lent bytes among the unsent replies.
    private long _lentBytes;

    public Connection(
        TransportConnection transport,
        ServerState server,
        ClientSession client,
        TExecutor executor,
        LongWorkers workers,
        ILogger logger)
    {
        _workers = workers;
        _transport = transport;
        _client = client;
        _executor = executor;
        _logger = logger;
        _server = server;
        client.Owner = this;
    }

    /// <summary>
    /// Serves the client until either side ends, sends the remaining replies, closes and frees everything, in bounded
    /// time. Never fails.
    /// </summary>
    /// <remarks>
    /// One state machine, without variables across an await and with few kinds of awaits, since it is a large part of
    /// an idle connection's memory.
    /// </remarks>
    /// <param name="live">The connection as the acceptor keeps it.</param>
    /// <param name="ended">Called at the end.</param>
    public async Task RunAsync(LiveConnection live, Action<LiveConnection> ended)
    {
        try
        {
            await _transport.OpenAsync().ConfigureAwait(false);
            _client.ClientCertificate = _transport.ClientCertificate;
            _server.AdmitByCertificate(_client);
            do
            {
                bool isTaken;
                if (_isSuspended)
                {
                    isTaken = await ResumeAsync().ConfigureAwait(false);
                }
                else
                {
                    var read = await ReadAsync().ConfigureAwait(false);
                    _client.IsWaiting = false;
                    isTaken = _client.Outbox?.TryResume() is { } resumed
                        ? await TakeResumedAsync(resumed, read).ConfigureAwait(false)
                        : IsLongWork(read.Buffer.Length)
                        ? await TakeElsewhereAsync(read).ConfigureAwait(false)
                        : Take(read);
                }

                if (!isTaken)
                    break;
                if (_client.IsParked && !_isSuspended)
                    await _client.Suspension.WaitAsync(_server.TimeProvider).ConfigureAwait(false);
            }
            while (await FlushAsync().ConfigureAwait(false) && !IsOver);
        }
#pragma warning disable CA1031 // A failure in one connection ends only that connection.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (!TellEnd(e))
                _transport.Abort();
        }

        GiveBackContext();

        // Before the peer sees the end: then the client is not in any list any more.
        _client.Subscriptions?.End();
        _server.Tracking.Disable(_client);
        _server.Clients.Remove(_client);
        await CloseAsync().ConfigureAwait(false);
        ended(live);
    }

    /// <summary>Logs what ended the connection.</summary>
    /// <returns>Whether the peer or the server ended it; else it is a defect of this server.</returns>
    private bool TellEnd(Exception exception)
    {
        bool isBroken = exception
            is IOException or SocketException or OperationCanceledException or ObjectDisposedException;
        if (isBroken)
            ServerLog.ConnectionBroken(_logger, _client.Id, exception);
        else
            ServerLog.ConnectionFailed(_logger, _client.Id, exception);
        return isBroken;
    }

    private async ValueTask CloseAsync()
    {
        if (_client.Outbox is { } outbox)
            await CloseOutboxAsync(outbox).ConfigureAwait(false);
        DropSuspended();
        DropStraddling();
        _client.Transaction?.End();
        if (_reader is not null)
            GiveBackReader();
        HoldInput();
        try
        {
            await _transport.Input.CompleteAsync().ConfigureAwait(false);
            await _transport.Output.CompleteAsync().ConfigureAwait(false);
            await _transport.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // There is no client left to inform.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.ConnectionBroken(_logger, _client.Id, e);
        }
    }

    // The missing bytes of a request are received directly into its memory, if the transport can do that.
    private ValueTask<ReadResult> ReadAsync()
    {
        var read = StraddlingBytes > 0 && _transport.Input is FillingPipeReader input && FindTarget() is { } target
            ? input.ReadAsync(target)
            : _transport.Input.ReadAsync();
        if (!read.IsCompleted)
            _client.Turn.Begin(); // The thread that receives the bytes serves the others first.
        _client.IsWaiting = true; // Before it looks for an outbox.
        return _client.Outbox is { } outbox && !TryRest(outbox, read.IsCompleted)
            ? ReadElsewhere(RestAsync(outbox, read))
            : ReadElsewhere(read);
    }

    private FillTarget? FindTarget()
    {
        if (_long is { MissingBytes: > 0 })
            return _long;
        bool isWithinLimit = Reader.BytesNeeded + (long)LongBytes <= Settings.ClientQueryBufferLimit;
        return isWithinLimit && Straddling.TryBeginFill(Reader.BytesNeeded) ? Straddling : null;
    }

    /// <summary>Executes the requests of a read.</summary>
    /// <returns>False if the connection ends without a reply.</returns>
    private bool Take(in ReadResult read)
    {
        _hasEnded |= read.IsCompleted || read.IsCanceled;
        long filledBytes = PendingInputBytes - _client.PendingInputBytes;
        long readBytes = read.Buffer.Length + filledBytes;
        BeginContext();
        _ = Context.TryEnter();
        BeginRead(read.Buffer.Length);
        Context.Counters.Traffic.Reads++;
        if (_client.Outbox is not null)
            Context.WriteEarlierMessages();
        if (_mayBeTls && IsTls(read.Buffer))
        {
            _transport.Input.AdvanceTo(read.Buffer.End);
            return false;
        }

        _tookAll = Take(read.Buffer, out var consumed);
        Context.Counters.Traffic.InputBytes += filledBytes;
        _transport.Input.AdvanceTo(consumed);
        EndRead(readBytes);
        return true;
    }

    private async ValueTask<bool> TakeElsewhereAsync(ReadResult read)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        return Take(read);
    }

    /// <summary>Sends the replies.</summary>
    /// <returns>Whether the peer can still receive.</returns>
    private ValueTask<bool> FlushAsync()
    {
        if (_client.PendingOutputBytes == 0)
            return ValueTask.FromResult(true);
        return _server.Durability is { HoldsReplies: true } durability
            ? FlushDurableAsync(durability)
            : SendAsync();
    }

    // A reply must be reliable: the client's own writes, and those that it has read, are durable before it is sent.
    private async ValueTask<bool> FlushDurableAsync(CacheDurability durability)
    {
        long bytes = _client.PendingOutputBytes;
        _client.PendingOutputBytes = 0; // The replies wait for the disk, not for the peer.
        _client.IsServed = true;
        try
        {
            await durability.WaitAsync().ConfigureAwait(false);
        }
        catch (IOException) when (durability.SuspensionCount == _suspensionsBefore)
        {
            // Recording failed before the first of these requests, so no write was made.
        }
        catch (IOException e)
        {
            ServerLog.RepliesNotDurable(_logger, _client.Id, e);
            _transport.Abort();
            return false;
        }
        finally
        {
            _client.IsServed &= _isSuspended; // As before.
        }

        _client.PendingOutputBytes = bytes;
        return await SendAsync().ConfigureAwait(false);
    }

    private ValueTask<bool> SendAsync()
    {
        var flush = _transport.Output.FlushAsync();
        if (!flush.IsCompletedSuccessfully)
            return WaitForFlushAsync(flush);
        _client.PendingOutputBytes = 0;
        return ValueTask.FromResult(!flush.Result.IsCompleted);
    }

    // Whether this many bytes make a long request move, or complete. Bytes received in place do neither.
    private bool IsLongWork(long bytes) =>
        bytes > 0 && _transport.SharesThread && StraddlingBytes + (long)(_long?.Length ?? 0) >= LongRequestBytes
        && (_long is { MissingBytes: > 0 }
            ? bytes >= _long.MissingBytes
            : bytes > Straddling.FreeBytes || StraddlingBytes + bytes >= Reader.BytesNeeded);

    // Unread replies of a slow client count as the store's memory: entries are evicted for them.
    private async ValueTask<bool> WaitForFlushAsync(ValueTask<FlushResult> flush)
    {
        long bytes = _client.PendingOutputBytes;
        long lentBytes = _lentBytes;
        _server.ClientMemory.Add(bytes, lentBytes);
        try
        {
            var result = await flush.ConfigureAwait(false);
            return !result.IsCompleted;
        }
        finally
        {
            _server.ClientMemory.Add(-bytes, -lentBytes);
            _client.PendingOutputBytes = 0;
        }
    }

    private void BeginContext(bool isElsewhere = false)
    {
        _context = _server.Contexts.Borrow();
        _context.Begin(_client, _transport.Output);
        _context.SharesThread = !isElsewhere && _transport.SharesThread;
        _context.IsElsewhere = isElsewhere;
        _context.IsAtWorker = _readsElsewhere > 0 && WorkerLane.IsHere;
    }

    // State that rarely changes, or that other clients see, is updated once per read, not per command.
    private void BeginRead(long readBytes)
    {
        _client.LastInteractionMs = _server.NowMs;
        _client.IsServed = true;
        _client.PendingInputBytes = (int)Math.Min(PendingInputBytes + readBytes, int.MaxValue);
        if (_server.Durability is { HoldsReplies: true } durability)
            _suspensionsBefore = durability.SuspensionCount;
        _reader ??= RespRequestReader.Borrow();
        _reader.BulkBytesMax = Settings.ProtoMaxBulkLength;
        _reader.IsAuthenticated = Context.IsAuthenticated;
    }

    private void EndRead(long readBytes)
    {
        Context.Counters.Peaks.NoteInput(_client.LastInteractionMs, _client.PendingInputBytes);
        _client.PendingInputBytes = PendingInputBytes;
        _client.IsServed = _isSuspended;
        if (StraddlingBytes == 0 && _refused is null)
            GiveBackReader();
        if (InputMemoryBytes != _client.InputMemoryBytes)
            HoldInput();
        if (_long is not null)
            _long.CountedBytes = LongBytes;
        if (!Context.IsAuthenticated)
            EnforceUnauthenticatedLimit(readBytes);
        if (Reply.UnflushedBytes > 0)
            EndReplies();
        GiveBackContext();
    }

    private void EndReplies()
    {
        long bytes = Reply.UnflushedBytes;
        _lentBytes = Reply.UnflushedLentBytes;
        _client.PendingOutputBytes = bytes;
        ref var traffic = ref Context.Counters.Traffic;
        traffic.OutputBytes += bytes;
        traffic.Writes++;
        _client.OutputBytes += bytes;
        Context.Counters.Peaks.NoteOutput(_client.LastInteractionMs, bytes);
        EnforceOutputLimit();
        Reply.BeginFlush();
    }

    private void GiveBackContext()
    {
        if (_context is null)
            return;
        _context.End();
        _server.Contexts.GiveBack(_context);
        _context = null;
    }

    private ServerSettings Settings => _server.Settings;

    private CommandContext Context => _context ?? throw new InvalidOperationException("No read is under way.");

    private RespReplyWriter Reply => Context.Output;

    private bool IsOver => _isFailed || _client.ShouldClose || (_hasEnded && _tookAll && !_isSuspended);

    private int LongBytes => _long?.HeldBytes ?? 0;

    private StraddlingRequest Straddling => _straddling ??= new StraddlingRequest();

    private int StraddlingBytes => _straddling?.Length ?? 0;

    // A refused request is skipped, so none of its bytes is held; it is still incomplete, and may time out.
    private int PendingInputBytes => StraddlingBytes + LongBytes + (_refused is null ? 0 : 1);

    private long InputMemoryBytes =>
        (_straddling?.MemoryBytes ?? 0L) + LongBytes + (_reader?.MemoryBytes ?? 0) + (_progress?.MemoryBytes ?? 0)
        + (_client.Transaction?.MemoryBytes ?? 0);

    private void GiveBackReader()
    {
        Reader.GiveBack();
        _reader = null;
    }

    private void HoldInput()
    {
        long more = InputMemoryBytes - _client.InputMemoryBytes;
        _client.InputMemoryBytes += more;
        _server.ClientMemory.Add(more);
    }
}
