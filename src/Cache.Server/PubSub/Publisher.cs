using Cache.Server.Clients;
using Cache.Server.Protocol;

namespace Cache.Server.PubSub;

/// <summary>
/// Who publishes: a client that executes a command, and so writes what it gets itself, in order with its replies; or,
/// by default, no client.
/// </summary>
/// <param name="client">The client.</param>
/// <param name="output">Its output, also while replies are turned off.</param>
internal readonly ref struct Publisher(ClientSession client, RespReplyWriter output)
{
    private readonly ClientSession? _client = client;
    private readonly RespReplyWriter? _output = output;

    /// <summary>Whether it is this client, whose turn to write it has.</summary>
    public bool Is(ClientSession client) => _client == client;

    /// <summary>Writes a message behind those that wait already.</summary>
    public void Write(Outbox outbox, ReadOnlySpan<byte> message)
    {
        WriteWaiting(outbox, _output!);
        _output!.Literal(message);
    }

    /// <summary>Writes all messages that wait for a client which executes a command.</summary>
    public static void WriteWaiting(Outbox outbox, RespReplyWriter output)
    {
        while (outbox.TryTake(out var waiting))
            output.Literal(waiting.Span);
    }
}
