using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Sets;

/// <summary>All members of a large set, in parts.</summary>
internal sealed class MembersReply(CollectionReading reading) : LongReply(reading)
{
    protected override void WriteHeader(CommandContext context) => new MemberReplySink(context).Begin(Reading.Count);

    protected override void WriteElements(CommandContext context)
    {
        var sink = new MemberReplySink(context);
        Reading.TellMembers(ref sink);
    }
}
