using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Lists;

/// <summary>A range of a large list, in parts.</summary>
internal sealed class ElementsReply(CollectionReading reading) : LongReply(reading)
{
    protected override void WriteHeader(CommandContext context) => new ElementReplySink(context).Begin(Reading.Count);

    protected override void WriteElements(CommandContext context)
    {
        var sink = new ElementReplySink(context);
        Reading.TellElements(ref sink);
    }
}
