using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFDEBUG and PFSELFTEST.</summary>
internal static class HyperLogLogDebugCommands
{
    private static ReadOnlySpan<byte> NoKey => "ERR The specified key does not exist"u8;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("pfdebug", PfDebug),
        new("pfselftest", PfSelfTest),
    ];

    // PFDEBUG GETREG | DECODE | ENCODING | TODENSE key
    private static void PfDebug(in RespRequest request, CommandContext context)
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(HllFormat.LengthMax);
        var sink = new SpanSink(memory);
        bool exists = context.Store.TryPeekRange(request[2], 0, HllFormat.LengthMax - 1, ref sink, out var info);
        var text = memory.AsSpan(0, exists ? sink.Length : 0);
        var fault = info.Kind > EntryKind.String ? HllFault.OtherKind
            : info.Length > HllFormat.LengthMax || !HllFormat.HasHeader(text) ? HllFault.OtherString
            : HllFault.None;
        if (info.Kind == EntryKind.None)
            context.Reply.Error(NoKey);
        else if (fault != HllFault.None)
            context.Reply.Refuse(fault);
        else
            Run(request, text, context);
        ArrayPool<byte>.Shared.Return(memory);
    }

    private static void Run(in RespRequest request, ReadOnlySpan<byte> text, CommandContext context)
    {
        var name = request[1];
        bool isKnown = name.Is("GETREG"u8) || name.Is("DECODE"u8) || name.Is("ENCODING"u8) || name.Is("TODENSE"u8);
        if (!isKnown)
            context.Reply.Error([.. "ERR Unknown PFDEBUG subcommand '"u8, .. name.UpToNul(), .. "'"u8]);
        else if (request.Count != 3)
            context.Reply.Error(
                [.. "ERR Wrong number of arguments for the '"u8, .. name.UpToNul(), .. "' subcommand"u8]);
        else if (name.Is("ENCODING"u8))
            context.Reply.SimpleString(HllFormat.IsSparse(text) ? "sparse"u8 : "dense"u8);
        else if (name.Is("DECODE"u8))
            Decode(text, context.Reply);
        else
            Convert(request[2], repliesRegisters: name.Is("GETREG"u8), context);
    }

    private static void Decode(ReadOnlySpan<byte> text, RespReplyWriter reply)
    {
        if (!HllFormat.IsSparse(text))
        {
            reply.Error("ERR HLL encoding is not sparse"u8);
            return;
        }

        var decoded = new StringBuilder();
        var runs = text[HllFormat.HeaderLength..];
        for (int at = 0; HllSparse.TryRead(runs, at, out var run); at += run.Length)
        {
            var invariant = CultureInfo.InvariantCulture;
            decoded.Append(decoded.Length == 0 ? "" : " ");
            if (run.Value > 0)
                decoded.Append(invariant, $"v:{run.Value},{run.Count}");
            else
                decoded.Append(invariant, $"{(run.IsLong ? 'Z' : 'z')}:{run.Count}");
        }

        reply.Bulk(Encoding.ASCII.GetBytes(decoded.ToString()));
    }

    private static void Convert(ReadOnlySpan<byte> key, bool repliesRegisters, CommandContext context)
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(HllEditor.MemorySize);
        var conversion = new HllConversion(memory);
        var status = context.Store.Update(key, ref conversion);
        bool isRead = status is WriteStatus.Done or WriteStatus.ConditionNotMet;
        if (isRead && !conversion.Exists)
            context.Reply.Error(NoKey); // It has gone meanwhile.
        else if (!isRead || conversion.Fault != HllFault.None)
            HyperLogLogCommands.Refuse(status, conversion.Fault, context.Reply);
        else if (repliesRegisters)
            ReplyRegisters(conversion.Value, context.Reply);
        else
            context.Reply.ZeroOrOne(conversion.WasSparse);
        ArrayPool<byte>.Shared.Return(memory);
    }

    private static void ReplyRegisters(ReadOnlySpan<byte> text, RespReplyWriter reply)
    {
        Debug.Assert(!HllFormat.IsSparse(text));
        reply.ArrayHeader(HllFormat.Registers);
        for (int i = 0; i < HllFormat.Registers; i++)
            reply.Integer(HllDense.Get(text[HllFormat.HeaderLength..], i));
    }

    // PFSELFTEST
    private static void PfSelfTest(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(long.MaxValue))
            return;
        string? failure = HllSelfTest.Run();
        if (failure is null)
            context.Reply.Ok();
        else
            context.Reply.Error(Encoding.ASCII.GetBytes($"TESTFAILED {failure}"));
    }
}
