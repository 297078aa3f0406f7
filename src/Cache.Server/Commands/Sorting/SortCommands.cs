using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sorting;

/// <summary>SORT and SORT_RO: the elements of a collection in an order.</summary>
internal static class SortCommands
{
    // The time to compare an element as often as it must be, and to look for a key, in nanoseconds; an element has at
    // least one byte with its length.
    private const long ElementWork = 300;
    private const long LookupWork = 300;

    private static readonly CommandDefinition _sort = Definition("sort"u8);
    private static readonly CommandDefinition _sortReadOnly = Definition("sort_ro"u8);

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("sort", Sort),
        new("sort_ro", SortReadOnly),
    ];

    // SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE destination]
    private static void Sort(in RespRequest request, CommandContext context) =>
        Run(request, _sort, mayStore: true, context);

    // SORT_RO key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA]
    private static void SortReadOnly(in RespRequest request, CommandContext context) =>
        Run(request, _sortReadOnly, mayStore: false, context);

    private static CommandDefinition Definition(ReadOnlySpan<byte> name) =>
        CommandTable.Default.Find(name) ?? throw new InvalidOperationException("The table has no SORT.");

    private static void Run(in RespRequest request, CommandDefinition command, bool mayStore, CommandContext context)
    {
        bool readsAnyKey = context.Client.User.Rules.ReadsAnyKey(command, request);
        if (!SortOptions.TryParse(request, mayStore, readsAnyKey, context.Reply, out var options))
            return;
        context.Store.TryPeekInfo(request[1], out var info);
        if (context.TryGiveWay(info.Length * (ElementWork + LookupWork * (options.Gets + (options.HasWeights ? 1 : 0)))))
            return;
        using var elements = new SortTexts();
        if (SortSource.Read(context.Store, request[1], info.Kind, elements) == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (!TryOrder(elements, options, info.Kind, context.Store, out var order))
            context.Reply.Error("ERR One or more scores can't be converted into double"u8);
        else
            Reply(request, elements, order, options, context);
    }

    /// <returns>False if a weight is no number; disposes of the order then.</returns>
    private static bool TryOrder(
        SortTexts elements, in SortOptions options, EntryKind kind, CacheStore store, out SortOrder order)
    {
        var pattern = new SortPattern(options.Weights);
        bool hasWeights = options.HasWeights;
        bool isAlphabetical = options.IsAlphabetical;
        if (options.IsUnsorted)
        {
            if (SortSource.IsOrdered(kind) || !options.Stores)
            {
                if (options.IsDescending && SortSource.IsOrdered(kind))
                    elements.Reverse();
                order = SortOrder.Present(elements);
                return true;
            }

            (hasWeights, isAlphabetical) = (false, true); // What is stored has an order that does not vary.
        }

        if (!hasWeights)
            return TryOrder(elements, elements, isAlphabetical, options, out order);
        using var weights = new SortTexts();
        for (int i = 0; i < elements.Count; i++)
            pattern.Read(store, elements[i], weights);
        return TryOrder(elements, weights, isAlphabetical, options, out order);
    }

    private static bool TryOrder(
        SortTexts elements, SortTexts weights, bool isAlphabetical, in SortOptions options, out SortOrder order)
    {
        if (!isAlphabetical)
        {
            bool areNumbers = SortOrder.TryByNumbers(elements, weights, options.IsDescending, out order);
            if (!areNumbers)
                order.Dispose();
            return areNumbers;
        }

        order = SortOrder.ByTexts(elements, weights, isWhole: options.Stores, options.IsDescending);
        return true;
    }

    private static void Reply(
        in RespRequest request, SortTexts elements, SortOrder order, in SortOptions options, CommandContext context)
    {
        var (start, end) = Limits(options, elements.Count);
        long most = options.Stores ? long.MaxValue : context.FindReplyListBytesMax() is var bytes and > 0 ? bytes : long.MaxValue;
        using var output = new SortTexts();
        for (int i = start; i < end && output.Bytes <= most; i++)
        {
            if (options.Gets == 0)
                output.Add(elements[order[i]]);
            for (int at = SortOptions.BeforeFirst; SortOptions.TryMoveNextGet(request, ref at);)
                new SortPattern(request[at]).Read(context.Store, elements[order[i]], output);
        }

        order.Dispose();
        if (options.Stores)
            Store(options.Destination, output, context);
        else if (output.Bytes > most)
            context.Reply.Error(ErrorTexts.ReplyTooLong);
        else
            Write(output, context.Reply);
    }

    // As Redis: of a start behind the last element, none are left.
    private static (int Start, int End) Limits(in SortOptions options, int count)
    {
        long start = Math.Clamp(options.Start, 0, count);
        long end = options.Count < 0 ? count : Math.Min(start + Math.Min(options.Count, count), count);
        return ((int)start, (int)end);
    }

    private static void Store(ReadOnlySpan<byte> key, SortTexts output, CommandContext context)
    {
        var sorted = new SortedTexts(output);
        var status = context.Store.List(key).Replace(ref sorted);
        if (status == WriteStatus.Done)
            context.Reply.Integer(output.Count);
        else
            context.Reply.Refusal(status);
    }

    private static void Write(SortTexts output, RespReplyWriter reply)
    {
        reply.ArrayHeader(output.Count);
        for (int i = 0; i < output.Count; i++)
        {
            if (output.IsAbsent(i))
                reply.Null();
            else
                reply.Bulk(output[i]);
        }
    }
}
