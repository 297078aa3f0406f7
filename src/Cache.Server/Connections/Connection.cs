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

/// <summary>One client's way through the server: read → parse → dispatch → flush, until either side closes.</summary>
/// <remarks>
/// Algorithm: a read is parsed where it lies. Complete requests are executed one after the other; their replies gather
/// in the output pipe and leave in one flush at the end of the read, or earlier when they have grown large. What is
/// left is the beginning of one request: it is copied aside (<see cref="StraddlingRequest"/>), topped up by the next
/// reads, and not parsed again before the bytes are there that the reader asked for. So the input is always consumed
/// whole, or up to where an early flush stopped it; nothing is ever examined without being consumed.
/// Concurrency: one thread at a time, whichever completed the operation that was awaited. Other threads end a
/// connection through its transport only.
/// Bounds: while a flush waits for a slow client nothing is read, and the transport's own bound stops its receiving;
/// a client that takes nothing for too long is ended by the sweep.
/// Unflushed replies are bounded by <see cref="FlushBytes"/> and one command, an incomplete request by the limits.
/// </remarks>
internal sealed partial class Connection<TExecutor>
    where TExecutor : struct, IRequestExecutor
{
    // Replies that are flushed within a read. The transport pauses at the same figure, so more would only lie about.
    private const int FlushBytes = 64 * 1024;

    // A request that is longer is moved to larger memory, and executed, on a thread of the pool: copying it takes so
    // long that the other connections would feel it.
    private const int LongRequestBytes = 2 * 1024 * 1024;

    private readonly TransportConnection _transport;
    private readonly ClientSession _client;
    private readonly ServerState _server;
    private readonly ILogger _logger;
    private readonly TExecutor _executor;
    private readonly LongWorkers _workers;

    // Whether no more will come, and whether all that came was executed.
    private bool _hasEnded;
    private bool _tookAll;

    // Borrowed for a read; the reader is the connection's own while a request straddles.
    private CommandContext? _context;
    private RespRequestReader? _reader;

    // The request that began in an earlier read; null before the first such.
    private StraddlingRequest? _straddling;

    // How often the journal had failed when the read began.
    private long _suspensionsBefore;

    // Lent bytes among the replies that wait to be sent.
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
    }

    /// <summary>
    /// Serves the client until either side wants to end, sends what is left, says goodbye and frees everything, in
    /// bounded time. Never fails.
    /// </summary>
    /// <remarks>
    /// One state machine, with no variable that outlives an await and few kinds of awaits, since it is a good part of
    /// what an idle connection takes.
    /// </remarks>
    /// <param name="live">The connection as the acceptor keeps it.</param>
    /// <param name="ended">Told when all is over.</param>
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
                    isTaken = IsLongWork(read.Buffer.Length)
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
#pragma warning disable CA1031 // What goes wrong in one connection ends that connection only.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (!TellEnd(e))
                _transport.Abort();
        }

        GiveBackContext();

        // Before the peer sees the end, so that who waits for it finds the client gone.
        _server.Clients.Remove(_client);
        await CloseAsync().ConfigureAwait(false);
        ended(live);
    }

    /// <summary>Logs what ended the connection.</summary>
    /// <returns>Whether it was the peer, or the server's end; else it is a failure of ours.</returns>
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
        if (_reader is not null)
            GiveBackReader();
        HoldInput();
        try
        {
            await _transport.Input.CompleteAsync().ConfigureAwait(false);
            await _transport.Output.CompleteAsync().ConfigureAwait(false);
            await _transport.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // There is no client left to tell.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.ConnectionBroken(_logger, _client.Id, e);
        }
    }

    // What is missing of a request goes where it stays, where the transport can do that.
    private ValueTask<ReadResult> ReadAsync()
    {
        var read = StraddlingBytes > 0 && _transport.Input is FillingPipeReader input && FindTarget() is { } target
            ? input.ReadAsync(target)
            : _transport.Input.ReadAsync();
        if (!read.IsCompleted)
            _client.Turn.Begin(); // The thread that brings the bytes serves the others first.
        return _client.Outbox is { } outbox ? ReadElsewhere(RestAsync(outbox, read)) : ReadElsewhere(read);
    }

    private FillTarget? FindTarget()
    {
        if (_long is { MissingBytes: > 0 })
            return _long;
        bool isWithinLimit = Reader.BytesNeeded + (long)LongBytes <= Settings.ClientQueryBufferLimit;
        return isWithinLimit && Straddling.TryBeginFill(Reader.BytesNeeded) ? Straddling : null;
    }

    /// <summary>Executes what a read brought.</summary>
    /// <returns>False if the connection ends without a reply.</returns>
    private bool Take(in ReadResult read)
    {
        _hasEnded |= read.IsCompleted || read.IsCanceled;
        long filledBytes = PendingInputBytes - _client.PendingInputBytes;
        long readBytes = read.Buffer.Length + filledBytes;
        BeginRead(read.Buffer.Length);
        Context.Counters.Traffic.Reads++;
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
    /// <returns>Whether the peer can still take any.</returns>
    private ValueTask<bool> FlushAsync()
    {
        if (_client.PendingOutputBytes == 0)
            return ValueTask.FromResult(true);
        return _server.Durability is { HoldsReplies: true } durability
            ? FlushDurableAsync(durability)
            : SendAsync();
    }

    // Whoever sees a reply may rely on what it tells: of its own writes, and of those that it has read.
    private async ValueTask<bool> FlushDurableAsync(CacheDurability durability)
    {
        long bytes = _client.PendingOutputBytes;
        _client.PendingOutputBytes = 0; // They wait for the disk, not for the peer.
        _client.IsServed = true;
        try
        {
            await durability.WaitAsync().ConfigureAwait(false);
        }
        catch (IOException) when (durability.SuspensionCount == _suspensionsBefore)
        {
            // Since before the first of these requests nothing was recorded, and so no write was done.
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

    // Whether this many bytes make a long request move, or end. What was received into its place does neither.
    private bool IsLongWork(long bytes) =>
        bytes > 0 && _transport.SharesThread && StraddlingBytes + (long)(_long?.Length ?? 0) >= LongRequestBytes
        && (_long is { MissingBytes: > 0 }
            ? bytes >= _long.MissingBytes
            : bytes > Straddling.FreeBytes || StraddlingBytes + bytes >= Reader.BytesNeeded);

    // What a slow client leaves lying counts as the store's memory: entries make room for it.
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

    // What changes seldom, or is shown to other clients, is brought up to date by the read, not by the command.
    private void BeginRead(long readBytes, bool isElsewhere = false)
    {
        _client.LastInteractionMs = _server.NowMs;
        _client.IsServed = true;
        _client.PendingInputBytes = (int)Math.Min(PendingInputBytes + readBytes, int.MaxValue);
        _context = _server.Contexts.Borrow();
        _context.Begin(_client, _transport.Output);
        _context.SharesThread = !isElsewhere && _transport.SharesThread;
        _context.IsElsewhere = isElsewhere;
        _context.Enter();
        if (_server.Durability is { HoldsReplies: true } durability)
            _suspensionsBefore = durability.SuspensionCount;
        _reader ??= RespRequestReader.Borrow();
        _reader.BulkBytesMax = Settings.ProtoMaxBulkLength;
        _reader.IsAuthenticated = _context.IsAuthenticated;
    }

    private void EndRead(long readBytes)
    {
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

    // A refused request is passed over, so no byte of it is held; it is under way all the same, and may time out.
    private int PendingInputBytes => StraddlingBytes + LongBytes + (_refused is null ? 0 : 1);

    private long InputMemoryBytes =>
        (_straddling?.MemoryBytes ?? 0L) + LongBytes + (_reader?.MemoryBytes ?? 0) + (_progress?.MemoryBytes ?? 0);

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
