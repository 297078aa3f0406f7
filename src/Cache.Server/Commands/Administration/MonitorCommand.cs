using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>MONITOR: shows a client the calls of all.</summary>
internal static class MonitorCommand
{
    // Longer than any fraction that makes sense.
    private const int FractionLengthMax = 32;

    private const int PatternLengthMax = 1024;
    private const long SecondsMax = 86_400;

    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("monitor", Monitor)];

    // MONITOR [MATCH pattern] [ID client-id] [USER name] [COMMAND name] [SAMPLE fraction] [COUNT n] [SECONDS s]
    private static void Monitor(in RespRequest request, CommandContext context)
    {
        var client = context.Client;
        if (client.IsMonitor)
            return; // As in Redis: without a reply.
        if (context.IsInSection)
        {
            context.Reply.Error("ERR MONITOR isn't allowed for DENY BLOCKING client"u8);
            return;
        }

        var filter = new MonitorFilter();
        for (int i = 1; i < request.Count; i += 2)
        {
            if (i + 1 == request.Count)
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }

            if (Read(request[i], request[i + 1], filter, context) is not { } read)
                return;
            filter = read;
        }

        context.Server.Monitors.Add(client, context.OpenOutbox(), filter);
        context.Reply.Ok();
    }

    /// <returns>Null if an error was replied.</returns>
    private static MonitorFilter? Read(
        ReadOnlySpan<byte> option, ReadOnlySpan<byte> value, MonitorFilter filter, CommandContext context)
    {
        if (option.Is("MATCH"u8))
        {
            return value.Length <= PatternLengthMax
                ? filter with { Pattern = value.ToArray() }
                : Refuse(context, "ERR MATCH has at most 1024 bytes"u8);
        }

        if (option.Is("USER"u8))
        {
            return context.Server.Users.Find(value) is { } user
                ? filter with { User = user }
                : Refuse(context, [.. "ERR No such user '"u8, .. value.UpToNul(), .. "'"u8]);
        }

        if (option.Is("COMMAND"u8))
        {
            return context.Server.Commands.FindFull(value) is { } command
                ? filter with { Command = command }
                : Refuse(context, "ERR COMMAND is not the name of a command, such as get or object|freq"u8);
        }

        if (option.Is("SAMPLE"u8))
        {
            return TryReadFraction(value, out double fraction)
                ? filter with { Fraction = fraction }
                : Refuse(context, "ERR SAMPLE must be a number above 0 and at most 1"u8);
        }

        return ReadNumber(option, value, filter, context);
    }

    private static MonitorFilter? ReadNumber(
        ReadOnlySpan<byte> option, ReadOnlySpan<byte> value, MonitorFilter filter, CommandContext context)
    {
        bool isNumber = RespInteger.TryParse(value, out long number) && number > 0;
        if (option.Is("ID"u8))
        {
            return isNumber
                ? filter with { ClientId = number }
                : Refuse(context, "ERR client-id should be greater than 0"u8);
        }

        if (option.Is("COUNT"u8))
        {
            return isNumber
                ? filter with { LinesMax = number }
                : Refuse(context, "ERR COUNT must be greater than 0"u8);
        }

        if (!option.Is("SECONDS"u8))
            return Refuse(context, ErrorTexts.Syntax);
        if (!isNumber || number > SecondsMax)
            return Refuse(context, "ERR SECONDS must be between 1 and 86400"u8);
        var clock = context.Server.TimeProvider;
        return filter with { EndsAt = clock.GetTimestamp() + number * clock.TimestampFrequency };
    }

    private static bool TryReadFraction(ReadOnlySpan<byte> text, out double fraction)
    {
        fraction = 0;
        return text.Length <= FractionLengthMax
            && double.TryParse(
                Encoding.Latin1.GetString(text), NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent,
                CultureInfo.InvariantCulture, out fraction)
            && fraction is > 0 and <= 1;
    }

    private static MonitorFilter? Refuse(CommandContext context, ReadOnlySpan<byte> error)
    {
        context.Reply.Error(error);
        return null;
    }
}
