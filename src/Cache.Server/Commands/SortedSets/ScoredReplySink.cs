using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.SortedSets;

/// <summary>Writes the members of a sorted set as the reply.</summary>
/// <param name="context">The client.</param>
/// <param name="hasScores">Whether each is followed by its score.</param>
/// <param name="isNested">Whether each with its score is an array of its own.</param>
internal readonly struct ScoredReplySink(CommandContext context, bool hasScores, bool isNested) : IScoredMemberSink
{
    // The connection ends then, or the part of a long reply.
    public bool IsFull => context.IsReplyFull;

    /// <summary>With scores, as most commands: an array of arrays in RESP3, a flat one in RESP2.</summary>
    public static ScoredReplySink Of(CommandContext context, bool hasScores) =>
        new(context, hasScores, hasScores && context.Reply.ProtocolVersion == 3);

    public void Begin(long count) => context.Reply.ArrayHeader(hasScores && !isNested ? count * 2 : count);

    public void Take(scoped ReadOnlySpan<byte> member, double score)
    {
        if (isNested)
            context.Reply.ArrayHeader(2);
        context.Reply.Bulk(member);
        if (hasScores)
            context.Reply.Double(score);
    }
}
