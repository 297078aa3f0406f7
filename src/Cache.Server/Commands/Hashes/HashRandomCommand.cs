using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>HRANDFIELD: some fields of a hash, at random.</summary>
internal static class HashRandomCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("hrandfield", HRandField)];

    // HRANDFIELD key [count [WITHVALUES]]
    private static void HRandField(in RespRequest request, CommandContext context)
    {
        if (!RandomArguments.TryParse(request, "WITHVALUES"u8, context, out var arguments))
            return;
        var sink = new RandomFieldSink(context, arguments.HasCount, arguments.HasValues);
        var status = context.Store.Hash(request[1]).GetRandom(arguments.Count, arguments.MayRepeat, ref sink);
        arguments.ReplyUnless(status, context.Reply);
    }
}
