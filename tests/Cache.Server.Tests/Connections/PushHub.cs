using System.Collections.Concurrent;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Connections;

/// <summary>All that pub/sub needs of the server, as its smallest client: who listens gets what is published.</summary>
internal sealed class PushHub
{
    private readonly ConcurrentDictionary<Outbox, bool> _outboxes = new();

    /// <summary>Pushes a message to all who listen.</summary>
    public void Publish(ReadOnlyMemory<byte> message)
    {
        foreach (var (outbox, _) in _outboxes)
        {
            if (!outbox.TryPost(message))
                _outboxes.TryRemove(outbox, out _);
        }
    }

    public int Count => _outboxes.Count;

    public void Add(Outbox outbox) => _outboxes[outbox] = true;
}

/// <summary>LISTEN, PUBLISH text, PARK, PARK LONG, which is long after its wait, and PONG to all else.</summary>
internal readonly struct PushExecutor(PushHub hub) : IRequestExecutor
{
    public void Execute(in RespRequest request, CommandContext context)
    {
        if (request[0].SequenceEqual("LISTEN"u8))
            hub.Add(context.OpenOutbox());
        else if (request[0].SequenceEqual("PUBLISH"u8))
            hub.Publish(request[1].ToArray());
        else if (request[0].SequenceEqual("PARK"u8))
        {
            if (context.SuspensionEnd == SuspensionEnd.None)
                context.Park(SuspensionReason.Replicas, Timeout.InfiniteTimeSpan);
            else if (request.Count > 1)
                context.TryGiveWay(long.MaxValue);
            if (context.GaveWay)
                return;
        }

        context.Reply.Literal("+PONG\r\n"u8);
    }

    public int ExecuteCommon(
        ReadOnlySpan<byte> input, ReadOnlySpan<CommonRequest> requests, int unflushedBytesMax,
        CommandContext context) => 0;
}
