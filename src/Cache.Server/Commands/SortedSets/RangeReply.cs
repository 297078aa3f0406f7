using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.SortedSets;

/// <summary>A range of a large sorted set, in parts.</summary>
internal sealed class RangeReply(CollectionReading reading, bool hasScores) : LongReply(reading)
{
    protected override void WriteHeader(CommandContext context) =>
        ScoredReplySink.Of(context, hasScores).Begin(Reading.Count);

    protected override void WriteElements(CommandContext context)
    {
        var sink = ScoredReplySink.Of(context, hasScores);
        Reading.TellMembers(ref sink);
    }
}
