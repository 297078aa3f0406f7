using Cache.Core;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The state of a reply that is written in parts, from a snapshot, at the pace of its reader.</summary>
/// <remarks>
/// Each part is written on a worker's thread, as any long command; the next one begins when the socket has taken it.
/// What the client sent behind the command waits until then. The output limits and timeouts count each part: so a
/// client that reads nothing keeps its snapshot no longer than these allow. Inside of EXEC, and where
/// <see cref="CountMax"/> clients have one, a reply is written at once.
/// </remarks>
/// <param name="reading">The snapshot; disposed of with this.</param>
internal abstract class LongReply(CollectionReading reading) : CommandProgress
{
    /// <summary>Collections of fewer bytes are written at once.</summary>
    public const long BytesMin = 1 << 20;

    /// <summary>A part ends with the element that passes this: about what a socket takes in a turn.</summary>
    public const int PartBytes = 1 << 20;

    /// <summary>The most such replies of the server: what is overwritten meanwhile stays in memory for them.</summary>
    public const int CountMax = 64;

    private bool _isBegun;
    private ServerState? _server; // Until it has ended.

    protected CollectionReading Reading => reading;

    /// <summary>The snapshot's pages are counted by the store.</summary>
    public override long MemoryBytes => 0;

    public override bool WasAllowed => true;

    /// <summary>The bytes of the parts before the present one.</summary>
    public long EarlierBytes { get; private set; }

    /// <summary>Writes the next part, if the present request has begun its reply.</summary>
    public static bool TryContinue(CommandContext context)
    {
        if (context.Progress is not LongReply reply)
            return false;
        reply.WritePart(context);
        return true;
    }

    /// <summary>Whether the reply to the present request may be written in parts.</summary>
    public static bool MayBegin(ReadOnlySpan<byte> key, CommandContext context) =>
        context.IsElsewhere && !context.IsInSection && context.Server.LongReplyCount < CountMax
        && context.Store.TryPeekInfo(key, out var info) && info.MemoryBytes >= BytesMin;

    /// <summary>Begins a reply with its first part.</summary>
    public static void Begin(LongReply reply, CommandContext context)
    {
        reply._server = context.Server;
        reply._server.AddLongReplies(1);
        context.Progress = reply; // The context gives it back, even after an exception.
        reply.WritePart(context);
    }

    public override void Dispose()
    {
        reading.Dispose();
        _server?.AddLongReplies(-1);
        _server = null;
    }

    /// <summary>Writes what comes before the elements.</summary>
    protected abstract void WriteHeader(CommandContext context);

    /// <summary>Writes elements until the part is full.</summary>
    protected abstract void WriteElements(CommandContext context);

    // A part, with the element that passes its end, is less than a client may have unread; 0: it may have any.
    private static long PartBytesOf(long limit) => limit > 0 ? Math.Min(PartBytes, limit / 2) : PartBytes;

    private void WritePart(CommandContext context)
    {
        long before = context.Reply.UnflushedBytes;
        context.ReplyPartEnd = before + PartBytesOf(context.Server.Settings.ClientOutputBufferLimit);
        try
        {
            if (!_isBegun)
                WriteHeader(context);
            _isBegun = true;
            WriteElements(context);
        }
        finally // The store may have been disposed.
        {
            context.ReplyPartEnd = long.MaxValue;
        }

        if (reading.IsDone || context.Client.IsKilled || context.IsReplyOverLimit)
        {
            context.EndProgress();
            return;
        }

        EarlierBytes += context.Reply.UnflushedBytes - before;
        context.GiveWayWith(this);
    }
}
