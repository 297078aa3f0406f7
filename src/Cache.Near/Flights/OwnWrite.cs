using Cache.Client;
using Cache.Near.Links;
using Cache.Protocol;

namespace Cache.Near.Flights;

/// <summary>A write of this process: the local entry goes before it is sent, and again when it is answered.</summary>
/// <remarks>
/// Reads that were sent before it are answered before it, on the same connection; so after the second time nothing
/// older is here, nor on its way.
/// </remarks>
internal sealed class OwnWrite(
    NearContext context, NearTopology topology, string command, byte[] key, RespRequestWriter requests, int count)
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _redirections;

    public Task Task => _completion.Task;

    public void Start()
    {
        context.Entries.Drop(key);
        if (topology.RouteOf(key) is { } link)
            Send(link, isAsk: false);
        else
            Fail(new RespClientException($"{command}: no primary of the key is known now"));
    }

    private void Send(NearLink link, bool isAsk)
    {
        if (link.Connection is not { } connection)
        {
            Fail(new RespClientException($"{link.Target}, {command}: there is no connection now", link.LastFailure));
            return;
        }

        if (isAsk && count > 1)
        {
            // ASKING counts for one request; the slot is about to arrive, and the caller may try again.
            Fail(new RespClientException($"{link.Target}, {command}: the key is moving"));
            return;
        }

        var sent = new RespRequestWriter();
        if (isAsk)
            sent.Begin(1).Add("ASKING"u8);
        sent.AddRequests(requests.Written.Span);
        connection.Send(sent.Written.Span, new Attempt(this, link, connection, count + (isAsk ? 1 : 0)));
    }

    private void Complete(NearLink link, RespConnection connection, in RespReply error)
    {
        context.Entries.Drop(key);
        if (!error.IsError)
        {
            topology.Tell(key);
            _completion.TrySetResult();
            return;
        }

        var next = Redirections.Next(topology, link, connection, error, out bool isAsk);
        if (next is not null && _redirections++ < Redirections.CountMax)
            Send(next, isAsk);
        else
            Fail(Redirections.ExceptionOf(connection, command, error));
    }

    private void Fail(RespClientException failure)
    {
        context.Entries.Drop(key);
        topology.Tell(key); // It may have been made.
        if (_completion.TrySetException(failure))
            _ = _completion.Task.Exception; // Perhaps nobody waits any more.
    }

    private sealed class Attempt(OwnWrite write, NearLink link, RespConnection connection, int count)
        : PendingReply("write", count)
    {
        private RespReply _error;

        public override void Take(in RespReply reply)
        {
            if (reply.IsError && !_error.IsError)
                _error = reply;
            if (RepliesLeft == 0)
                write.Complete(link, connection, _error);
        }

        public override void Fail(RespClientException failure) => write.Fail(failure);
    }
}
