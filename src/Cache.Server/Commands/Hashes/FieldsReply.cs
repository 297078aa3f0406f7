using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Hashes;

/// <summary>All fields of a large hash, in parts.</summary>
internal sealed class FieldsReply(CollectionReading reading, FieldParts parts) : LongReply(reading)
{
    protected override void WriteHeader(CommandContext context) =>
        new FieldReplySink(context, parts).Begin(Reading.Count);

    protected override void WriteElements(CommandContext context)
    {
        var sink = new FieldReplySink(context, parts);
        Reading.TellFields(ref sink);
    }
}
