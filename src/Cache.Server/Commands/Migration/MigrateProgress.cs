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
internal sealed class MigrateProgress(MigrateRequest request, Queue<MigratedKey> keys, ServerState server)
    : CommandProgress
{
    /// <summary>
    /// The most at a time: each has a descriptor beside its client's, of those that are kept for files and threads
    /// (<see cref="DescriptorLimit.Reserve"/>).
    /// </summary>
    public const int CountMax = 8;

    // Sent at once: enough for a network, and small beside a client's other buffers.
    private const int BatchBytesMax = 1 << 20;

    // What a Redis takes as one argument, if nobody has told it otherwise.
    private const int PayloadBytesMax = 512 << 20;

    // Others write a key just while it is on its way: now and then, or each time.
    private const int AttemptsMax = 64;

    private const string Unreachable = "IOERR error or timeout connecting to the client";
    private const string Unsent = "IOERR error or timeout writing to target instance";
    private const string Unanswered = "IOERR error or timeout reading from target instance";

    private readonly CancellationTokenSource _end = new();
    private readonly List<MigratedKey> _batch = [];
    private MigrationTarget? _target;
    private long _bytes;
    private bool _isEnded;

    /// <summary>Ends, with an error or null, when the target has answered; null: nothing is being sent.</summary>
    public Task<string?>? Sending { get; private set; }

    public bool IsDone => keys.Count == 0;

    public override long MemoryBytes => _bytes;

    /// <summary>About the bytes of the next batch.</summary>
    public long FindWork(CacheStore store)
    {
        long work = 0;
        foreach (var migrated in keys)
        {
            store.TryPeekInfo(migrated.Key, out var info);
            work += Math.Max(info.Length, info.MemoryBytes);
            if (work > BatchBytesMax)
                break;
        }

        return work;
    }

    /// <summary>Reads keys, and begins to send them.</summary>
    /// <returns>An error, or null.</returns>
    public string? Send(CacheStore store)
    {
        var requests = new RespRequestWriter();
        while (requests.Length < BatchBytesMax && keys.TryDequeue(out var migrated))
        {
            _batch.Add(migrated);
            if (!request.IsCopy)
                migrated.Watch = server.Watches.Watch(store, migrated.Key);
            if (!TryWrite(migrated, store, requests))
                return "ERR The value of a key is too long to be sent to another server";
        }

        _bytes = requests.Length;
        Sending = SendAsync(requests.Written, [.. _batch]);
        return null;
    }

    /// <summary>Removes what the target has. Once the sending has ended.</summary>
    /// <returns>An error, or null.</returns>
    public string? Finish(CacheStore store)
    {
        string? error = Sending!.GetAwaiter().GetResult();
        Sending = null;
        _bytes = 0;
        foreach (var migrated in _batch)
        {
            if (migrated.Answer is ['-', .. var answer])
                error ??= "ERR Target instance replied with error: " + answer;
            else if (migrated.IsWithdrawn)
                error ??= "ERR A key was changed each time that it was sent: it stays here";
            else if (migrated.IsThere && !request.IsCopy && !migrated.TryRemove(store))
                keys.Enqueue(new MigratedKey(migrated.Key) { Attempts = migrated.Attempts + 1 });
        }

        EndBatch();
        return error;
    }

    public override void Dispose()
    {
        if (_isEnded)
            return;
        _isEnded = true;
        server.AddMigrations(-1);
        _end.Cancel();
        _target?.Dispose();
        EndBatch();
        if (Sending is null)
            _end.Dispose();
    }

    private bool TryWrite(MigratedKey migrated, CacheStore store, RespRequestWriter requests)
    {
        migrated.IsWithdrawn = migrated.Attempts == AttemptsMax;
        if (migrated.IsWithdrawn)
        {
            requests.Begin(2).Add("DEL"u8).Add(migrated.Key);
            return true;
        }

        store.TryPeekInfo(migrated.Key, out var info);
        if (!DumpedValue.TryMake(store, migrated.Key, PayloadBytesMax, out var payload))
        {
            if (migrated.Attempts == 0)
                migrated.Answer = "+"; // It is gone, and never was there.
            else
                requests.Begin(2).Add("DEL"u8).Add(migrated.Key);
            return true;
        }

        if (payload is null)
            return false;
        bool replaces = request.Replaces || migrated.Attempts > 0;
        long ttlMs = info.ExpiresAtMs == 0 ? 0 : Math.Max(info.ExpiresAtMs - store.NowMs, 1);
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
                _target = new MigrationTarget(request.Timeout, _end.Token);
                await _target.ConnectAsync(request.Host, request.Port).ConfigureAwait(false);
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
        if (request.Credentials is { } credentials)
        {
            requests.Begin(1 + credentials.Length).Add("AUTH"u8);
            foreach (byte[] credential in credentials)
                requests.Add(credential);
        }

        requests.Begin(2).Add("SELECT"u8).Add(request.Database);
        await target.SendAsync(requests.Written).ConfigureAwait(false);
        string? refusal = null;
        for (int i = request.Credentials is null ? 1 : 0; i < 2; i++)
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
            server.Watches.Unwatch(ended);
    }
}
