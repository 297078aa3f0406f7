using System.Diagnostics;
using Cache.Client;
using Cache.Near.Entries;
using Cache.Near.Layouts;
using Cache.Near.Links;
using Cache.Protocol;

namespace Cache.Near.Flights;

/// <summary>One read of a key from its server, for all that wait for it, and its keeping here.</summary>
/// <remarks>
/// The value is kept by the thread that reads the connection, when the reply comes: a change before the read is in the
/// reply, and the push of a change after it comes after it, so that nothing stale can stay. The rest of its life was
/// asked for behind it, and counts from when the question was sent. A push between the two answers may be of a change
/// between the two questions: then nothing is kept.
/// </remarks>
internal sealed class Fill
{
    // Of a sliding expiration: so often it is prolonged within its interval, at most.
    private const int RefreshesPerInterval = 4;

    private readonly NearContext _context;
    private readonly NearTopology _topology;
    private readonly NearEntries _entries;
    private readonly EntryLayout _layout;
    private readonly byte[] _key;
    private readonly bool _isKept;
    private readonly bool _isRefreshed;
    private readonly TaskCompletionSource<byte[]?> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private int _redirections;

    public Fill(
        NearContext context,
        NearTopology topology,
        NearEntries entries,
        EntryLayout layout,
        byte[] key,
        bool isKept,
        bool isRefreshed = false)
    {
        _context = context;
        _topology = topology;
        _entries = entries;
        _layout = layout;
        _key = key;
        _isKept = isKept;
        _isRefreshed = isRefreshed;
    }

    /// <summary>The value; null: there is none.</summary>
    public Task<byte[]?> Task => _completion.Task;

    /// <summary>Called when it has ended, before those that wait go on.</summary>
    public Action? Ending { get; init; }

    public void Start()
    {
        var link = _topology.RouteOf(_key);
        if (link is null)
            Fail(new RespClientException("No primary of the key is known now"));
        else
            Send(link, isAsk: false);
    }

    private void Send(NearLink link, bool isAsk)
    {
        if (link.Connection is not { } connection)
        {
            Lose(link, new RespClientException($"{link.Target}: there is no connection now", link.LastFailure));
            return;
        }

        var request = new RespRequestWriter();
        if (isAsk)
            request.Begin(1).Add("ASKING"u8);
        _layout.WriteRead(request, _key);
        if (isAsk)
            request.Begin(1).Add("ASKING"u8);
        EntryLayout.WriteLifeLeft(request, _key);
        var attempt = new Attempt(this, link, connection, isAsk, _context.Clock.NowMs);
        connection.Send(request.Written.Span, attempt);
    }

    private void Take(Attempt attempt, in RespReply value, in RespReply lifeLeft)
    {
        if (value.IsError)
        {
            TakeError(attempt, value);
            return;
        }

        StoredEntry stored;
        try
        {
            stored = _layout.Read(value);
        }
        catch (InvalidDataException failure)
        {
            Fail(new RespClientException($"{attempt.Connection.Address}: {failure.Message}", failure));
            return;
        }

        bool slides = stored is { Value: not null, SlidingMs: > 0 };
        if (slides && !_isRefreshed)
            Refresh(attempt, stored);
        else if (_isKept && !attempt.IsAsk && !attempt.IsDisturbed)
            Keep(attempt, stored, lifeLeft);
        Ending?.Invoke();
        _completion.TrySetResult(stored.Value);
    }

    private void Keep(Attempt attempt, in StoredEntry stored, in RespReply lifeLeft)
    {
        if (lifeLeft.Type != RespType.Integer || stored.Value is null && !_context.Options.KeepsMisses)
            return;
        long life = (long)_context.Options.MaximumAge.TotalMilliseconds;
        if (stored.Value is not null)
        {
            // −1 is no expiry; −2 that it has expired between the two requests.
            if (lifeLeft.Number < -1)
                return;
            if (lifeLeft.Number >= 0)
                life = Math.Min(life, lifeLeft.Number);
        }

        if (stored.SlidingMs > 0)
            life = Math.Min(life, Math.Max(1, stored.SlidingMs / RefreshesPerInterval));
        life -= _context.Clock.NowMs - attempt.SentMs;
        if (life <= 0)
            return;
        lock (_context.Owners.Gate)
        {
            if (_context.Owners.Of(_key) == attempt.Link)
                _entries.Keep(_key, stored.Value, life);
        }
    }

    // Prolonging is a write, of which the server tells us too: only what is read after it is kept.
    private void Refresh(Attempt attempt, in StoredEntry stored)
    {
        long life = stored.SlidingMs;
        if (stored.AbsoluteUnixMs > 0)
            life = Math.Min(life, stored.AbsoluteUnixMs - _context.Time.GetUtcNow().ToUnixTimeMilliseconds());
        if (life <= 0)
            return;
        var request = new RespRequestWriter().Begin(3).Add("PEXPIRE"u8).Add(_key).Add(life);
        attempt.Connection.Send(request.Written.Span, new Prolonging(this));
    }

    private void TakeError(Attempt attempt, in RespReply error)
    {
        var next = Redirections.Next(_topology, attempt.Link, attempt.Connection, error, out bool isAsk);
        if (next is not null && _redirections++ < Redirections.CountMax)
            Send(next, isAsk);
        else
            Fail(Redirections.ExceptionOf(attempt.Connection, "read", error));
    }

    // A primary that has lost its slots is linked no more, in the middle of its reads: another one has the key then.
    private void Lose(NearLink link, RespClientException failure)
    {
        if (_context.Owners.RouteOf(_key) is { Connection: not null } owner && owner != link
            && _redirections++ < Redirections.CountMax)
        {
            Send(owner, isAsk: false);
        }
        else
            Fail(failure);
    }

    private void Again() => new Fill(_context, _topology, _entries, _layout, _key, true, isRefreshed: true).Start();

    private void Fail(RespClientException failure)
    {
        Ending?.Invoke();
        if (_completion.TrySetException(failure))
            _ = _completion.Task.Exception; // Perhaps nobody waits any more.
    }

    private sealed class Attempt(Fill fill, NearLink link, RespConnection connection, bool isAsk, long sentMs)
        : PendingReply("read", isAsk ? 4 : 2)
    {
        private RespReply _value;
        private long _pushCount;

        public NearLink Link => link;

        public RespConnection Connection => connection;

        public bool IsAsk => isAsk;

        public long SentMs => sentMs;

        /// <summary>Whether the server has told of any change since the value.</summary>
        public bool IsDisturbed => link.PushCount != _pushCount;

        public override void Take(in RespReply reply)
        {
            Debug.Assert(RepliesLeft is >= 0 and < 4);
            if (RepliesLeft == (isAsk ? 2 : 1))
            {
                _value = reply;
                _pushCount = link.PushCount;
            }
            else if (RepliesLeft == 0)
            {
                fill.Take(this, _value, reply);
            }
        }

        public override void Fail(RespClientException failure) => fill.Lose(link, failure);
    }

    // Reads once more behind the write, to keep what it finds.
    private sealed class Prolonging(Fill fill) : PendingReply("PEXPIRE", 1)
    {
        public override void Take(in RespReply reply)
        {
            if (!reply.IsError && fill._isKept)
                fill.Again();
        }

        public override void Fail(RespClientException failure)
        {
            // The entry may expire earlier; that is what a lost server means.
        }
    }
}
