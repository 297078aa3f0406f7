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

    // Of SORT with BY or GET and STORE, beside others that write the same key: each time it was written meanwhile.
    private const int AttemptsMax = 1000;

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
        bool isInCluster = context.Server.Cluster is not null;
        if (!SortOptions.TryParse(request, mayStore, readsAnyKey, isInCluster, context.Reply, out var options))
            return;
        context.Store.TryPeekInfo(request[1], out var info);
        long lookups = options.Gets + (options.HasWeights ? 1 : 0);
        if (context.TryGiveWay(CollectionWork.ScannedBytes(info, long.MaxValue) * (ElementWork + LookupWork * lookups)))
            return;
        if (options.Stores)
            Store(request, options, context);
        else
            Reply(request, options, info.Kind, context);
    }

    private static void Reply(in RespRequest request, in SortOptions options, EntryKind kind, CommandContext context)
    {
        using var elements = new SortTexts();
        var fault = Read(context.Store, request[1], kind, elements);
        var order = default(SortOrder);
        if (fault == SortFault.None)
            fault = SortWork.Order(elements, options, kind, context.Store, out order);
        if (fault != SortFault.None)
        {
            Refuse(fault, context.Reply);
            return;
        }

        using var reply = context.BorrowReplyList();
        var (start, end) = SortWork.Limits(options, elements.Count);
        for (int i = start; i < end && !reply.IsTooLong; i++)
        {
            if (options.Gets == 0)
                reply.Add(elements[order[i]]);
            for (int at = SortOptions.BeforeFirst; SortOptions.TryMoveNextGet(request, ref at) && !reply.IsTooLong;)
                new SortPattern(request[at]).Read(context.Store, elements[order[i]], reply);
        }

        order.Dispose();
        reply.WriteTo(context.Reply);
    }

    public static SortFault Read(CacheStore store, ReadOnlySpan<byte> key, EntryKind kind, SortTexts elements)
    {
        elements.Clear();
        if (SortSource.Read(store, key, kind, elements) == ReadStatus.WrongType)
            return SortFault.OtherKind;
        return elements.IsTooLong ? SortFault.TooLong : SortFault.None;
    }

    // What is sorted must be the same when the result is written: a list may be sorted into itself.
    private static void Store(in RespRequest request, in SortOptions options, CommandContext context)
    {
        using var elements = new SortTexts();
        using var output = new SortTexts();
        for (int attempts = 0; attempts < AttemptsMax; attempts++)
        {
            context.Store.TryPeekInfo(request[1], out var info);
            var fault = Read(context.Store, request[1], info.Kind, elements);
            if (fault == SortFault.None)
                fault = SortWork.Make(request, options, info.Kind, context.Store, elements, output);
            var storing = new SortStoring(request, options, elements, output, context.Store.Keyspace) { Fault = fault };
            if (fault == SortFault.None)
                context.Store.Transact(ref storing);
            if (storing.IsOutdated)
                continue;
            if (storing.Fault != SortFault.None)
                Refuse(storing.Fault, context.Reply);
            else if (storing.Status != WriteStatus.Done)
                context.Reply.Refusal(storing.Status);
            else
                context.Reply.Integer(output.Count);
            return;
        }

        context.Reply.Error("ERR the key was changed again and again while it was sorted"u8);
    }

    private static void Refuse(SortFault fault, RespReplyWriter reply) => reply.Error(fault switch
    {
        SortFault.OtherKind => ErrorTexts.WrongType,
        SortFault.NoNumber => "ERR One or more scores can't be converted into double"u8,
        _ => "OOM what is sorted, or by what, or the result, has more than 16777216 bytes"u8,
    });
}
