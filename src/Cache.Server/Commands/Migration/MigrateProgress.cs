using System.Net.Sockets;
using Cache.Core;
using Cache.Durability.Dumps;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Migration;

/// <summary>Some keys on their way to another server, a batch at a time.</summary>
/// <remarks>
/// <code>
///  gathering ── something to send ──▶ sending ── the answers ──▶ gathering, for keys that are left or have changed
/// </code>
/// The client's thread gathers and removes, and is parked while the keys are sent, by tasks of the pool.
/// </remarks>
internal sealed class MigrateProgress : CommandProgress
{
    // Sent at once: enough for a network, and small beside a client's other buffers.
    private const int BatchBytesMax = 1 << 20;

    // What a Redis takes as one argument, if nobody has told it otherwise.
    private const int PayloadBytesMax = 512 << 20;

    // Others write a key just while it is on its way: now and then, or each time.
    private const int AttemptsMax = 64;

    private const string Unreachable = "IOERR error or timeout connecting to the client";
    private const string Unsent = "IOERR error or timeout writing to target instance";
    private const string Unanswered = "IOERR error or timeout reading to target instance";

    private readonly MigrateRequest _request;
    private readonly ServerState _server;
    private readonly CacheStore _store; // That of the beginning, whatever number it has by now.
    private readonly IReadOnlyList<byte[]> _claimed;
    private readonly Queue<MigratedKey> _keys;
    private readonly CancellationTokenSource _end = new();
    private readonly List<MigratedKey> _batch = [];
    private MigrationTarget? _target;
    private long _bytes;
    private bool _isEnded;

    private MigrateProgress(MigrateRequest request, IReadOnlyList<byte[]> keys, CommandContext context)
    {
        _request = request;
        _server = context.Server;
        _store = context.Store;
        _claimed = request.IsCopy ? [] : keys;
        _keys = new Queue<MigratedKey>(keys.Count);
        foreach (byte[] key in keys)
            _keys.Enqueue(new MigratedKey(key));
    }

    /// <summary>Ends, with an error or null, when the target has answered; null: nothing is being sent.</summary>
    public Task<string?>? Sending { get; private set; }

    public bool IsDone => _keys.Count == 0;

    public override long MemoryBytes => _bytes;

    /// <summary>Begins, if nobody else sends one of the keys, and not too many others.</summary>
    /// <param name="request">What to do.</param>
    /// <param name="keys">The keys, each once.</param>
    /// <param name="context">The client's context.</param>
    /// <param name="problem">Why it does not; null: it does.</param>
    public static MigrateProgress? TryBegin(
        MigrateRequest request, IReadOnlyList<byte[]> keys, CommandContext context, out string? problem)
    {
        var progress = new MigrateProgress(request, keys, context);
        problem = context.Server.KeysOnTheirWay.TryBegin(context.Store.Keyspace, progress._claimed);
        return problem is null ? progress : null;
    }

    /// <summary>About the bytes of the next batch.</summary>
    public long FindWork()
    {
        long work = 0;
        foreach (var migrated in _keys)
        {
            _store.TryPeekInfo(migrated.Key, out var info);
            work += Math.Max(info.Length, info.MemoryBytes);
            if (work > BatchBytesMax)
                break;
        }

        return work;
    }

    /// <summary>Reads keys, and begins to send them.</summary>
    /// <returns>An error, or null.</returns>
    public string? Send()
    {
        var requests = new RespRequestWriter();
        while (requests.Length < BatchBytesMax && _keys.TryDequeue(out var migrated))
        {
            _batch.Add(migrated);
            if (!_request.IsCopy)
                migrated.Watch = _server.Watches.Watch(_store, migrated.Key);
            if (!TryWrite(migrated, requests))
                return "ERR The value of a key is too long to be sent to another server";
        }

        _bytes = requests.Length;
        Sending = SendAsync(requests.Written, [.. _batch]);
        return null;
    }

    /// <summary>Removes what the target has. Once the sending has ended.</summary>
    /// <returns>An error, or null.</returns>
    public string? Finish()
    {
        string? error = Sending!.GetAwaiter().GetResult();
        Sending = null;
        _bytes = 0;
        foreach (var migrated in _batch)
        {
            if (migrated.Answer is ['-', .. var answer])
                error ??= "ERR Target instance replied with error: " + answer;
            else if (migrated.IsThere && !_request.IsCopy && !migrated.TryRemove(_store))
                error ??= SendAgain(migrated);
        }

        EndBatch();
        return error;
    }

    public override void Dispose()
    {
        if (_isEnded)
            return;
        _isEnded = true;
        _server.KeysOnTheirWay.End(_store.Keyspace, _claimed);
        _end.Cancel();
        _target?.Dispose();
        EndBatch();
        if (Sending is null)
            _end.Dispose();
    }

    // The target's older value is not removed: it may be the same one, if the target is this server.
    private string? SendAgain(MigratedKey migrated)
    {
        if (migrated.Attempts + 1 == AttemptsMax)
            return "ERR A key was changed each time that it was sent: it stays here, and the target has an older value";
        _keys.Enqueue(new MigratedKey(migrated.Key) { Attempts = migrated.Attempts + 1 });
        return null;
    }

    private bool TryWrite(MigratedKey migrated, RespRequestWriter requests)
    {
        _store.TryPeekInfo(migrated.Key, out var info);
        if (!DumpedValue.TryMake(_store, migrated.Key, PayloadBytesMax, out var payload))
        {
            if (migrated.Attempts == 0)
                migrated.Answer = "+"; // It is gone, and never was there.
            else
                requests.Begin(2).Add("DEL"u8).Add(migrated.Key);
            return true;
        }

        if (payload is null)
            return false;
        bool replaces = _request.Replaces || migrated.Attempts > 0;
        long ttlMs = info.ExpiresAtMs == 0 ? 0 : Math.Max(info.ExpiresAtMs - _store.NowMs, 1);
        requests.Begin(replaces ? 5 : 4).Add("RESTORE"u8).Add(migrated.Key).Add(ttlMs)
            .Add(payload.GetBuffer().AsSpan(0, (int)payload.Length));
        if (replaces)
            requests.Add("REPLACE"u8);
        return true;
    }

    private async Task<string?> SendAsync(ReadOnlyMemory<byte> requests, MigratedKey[] batch)
    {
        string failure = Unreachable;
        try
        {
            if (_target is null)
            {
                _target = new MigrationTarget(_request.Timeout, _end.Token);
                await _target.ConnectAsync(_request.Host, _request.Port).ConfigureAwait(false);
                failure = Unanswered;
                if (await EnterAsync(_target).ConfigureAwait(false) is { } refusal)
                    return "ERR Target instance replied with error: " + refusal;
            }

            var sending = _target.SendAsync(requests);
            failure = Unanswered;
            foreach (var migrated in batch)
                migrated.Answer ??= await _target.ReceiveLineAsync().ConfigureAwait(false);

            failure = Unsent;
            await sending.ConfigureAwait(false);
            return null;
        }
        catch (Exception error) when (error is IOException or SocketException) // The system may have no more sockets.
        {
            // As in Redis, where nobody listens the first write fails.
            bool isRefused = failure == Unreachable && error.InnerException is SocketException
            {
                SocketErrorCode: not (SocketError.HostNotFound or SocketError.NoData or SocketError.TryAgain),
            };
            return isRefused ? Unsent : failure;
        }
    }

    // Only where the target lets it in, and has the database, are keys sent.
    private async Task<string?> EnterAsync(MigrationTarget target)
    {
        var requests = new RespRequestWriter();
        if (_request.Credentials is { } credentials)
        {
            requests.Begin(1 + credentials.Length).Add("AUTH"u8);
            foreach (byte[] credential in credentials)
                requests.Add(credential);
        }

        requests.Begin(2).Add("SELECT"u8).Add(_request.Database);
        await target.SendAsync(requests.Written).ConfigureAwait(false);
        string? refusal = null;
        for (int i = _request.Credentials is null ? 1 : 0; i < 2; i++)
        {
            string line = await target.ReceiveLineAsync().ConfigureAwait(false);
            refusal ??= line[0] == '-' ? line[1..] : null;
        }

        return refusal;
    }

    private void EndBatch()
    {
        List<WatchedName> ended = [];
        foreach (var migrated in _batch)
        {
            if (migrated.Watch is { } watch)
                ended.Add(watch);
        }

        _batch.Clear();
        if (ended.Count > 0)
            _server.Watches.Unwatch(ended);
    }
}
