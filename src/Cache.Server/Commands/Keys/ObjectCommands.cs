using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Keys;

/// <summary>OBJECT: properties of a key's value in the server.</summary>
/// <remarks>
/// The store does not record the time of the last use, so the idle time is always 0; it counts up to three uses,
/// and samples the keys that are used often.
/// </remarks>
internal static class ObjectCommands
{
    private const double LowRate = 8;
    private const double FrequencyPerDoubling = 12;
    private const long FrequencyMax = 255;

    private static readonly string[] _help =
    [
        "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "ENCODING <key>",
        "    Return the kind of internal representation used in order to store the value",
        "    associated with a <key>.",
        "FREQ <key>",
        "    Return the access frequency index of the <key>. The returned integer is",
        "    proportional to the logarithm of the recent access frequency of the key.",
        "IDLETIME <key>",
        "    Return the idle time of the <key>, that is the approximated number of",
        "    seconds elapsed since the last access to the key.",
        "REFCOUNT <key>",
        "    Return the number of references of the value associated with the specified",
        "    <key>.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("object|encoding", Encoding),
        new("object|freq", Frequency),
        new("object|idletime", IdleTime),
        new("object|refcount", ReferenceCount),
        new("object|help", Help),
    ];

    // OBJECT ENCODING key
    private static void Encoding(in RespRequest request, CommandContext context)
    {
        var encoding = ObjectEncoding.Of(request[2], context.Store, out _, out _);
        if (encoding.IsEmpty)
            context.Reply.Null();
        else
            context.Reply.Bulk(encoding);
    }

    // OBJECT FREQ key
    private static void Frequency(in RespRequest request, CommandContext context)
    {
        if (!context.Store.TryPeekInfo(request[2], out var info))
            context.Reply.Null();
        else if (CountsUses(context))
            context.Reply.Integer(FrequencyOf(request[2], info.UseCount, context));
        else
        {
            context.Reply.Error(
                "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when "u8
                + "switching between policies at runtime LRU and LFU data will take some time to adjust."u8);
        }
    }

    // OBJECT IDLETIME key
    private static void IdleTime(in RespRequest request, CommandContext context)
    {
        if (!context.Store.TryPeekInfo(request[2], out _))
            context.Reply.Null();
        else if (!CountsUses(context))
            context.Reply.Integer(0);
        else
        {
            context.Reply.Error(
                "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching "u8
                + "between policies at runtime LRU and LFU data will take some time to adjust."u8);
        }
    }

    // OBJECT REFCOUNT key
    private static void ReferenceCount(in RespRequest request, CommandContext context)
    {
        if (ObjectEncoding.Of(request[2], context.Store, out long number, out _).IsEmpty)
            context.Reply.Null();
        else
            context.Reply.Integer(ObjectEncoding.ReferencesOf(number));
    }

    // On a logarithmic scale up to 255, as in Redis: twelve for each doubling of the rate above eight requests a
    // second, by samples; of keys that are used less, the uses that eviction counts.
    private static long FrequencyOf(ReadOnlySpan<byte> key, int useCount, CommandContext context)
    {
        double rate = context.Server.FindRate(key, context.Client.Database);
        return rate <= LowRate
            ? useCount
            : Math.Min(FrequencyMax, useCount + (long)(FrequencyPerDoubling * Math.Log2(rate / LowRate)));
    }

    private static bool CountsUses(CommandContext context) =>
        EvictionPolicyName.Of(context.Store.Eviction, context.Server.Settings.MaxMemoryPolicy)
            .EndsWith("lfu", StringComparison.Ordinal);

    // OBJECT HELP
    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);
}
