using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>The commands that search for members in a circle or a box.</summary>
internal static class GeoSearchCommands
{
    // The time to find out whether a member lies in a shape, in nanoseconds.
    private const long PointWork = 200;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("georadius", GeoRadius),
        new("georadius_ro", GeoRadiusRo),
        new("georadiusbymember", GeoRadiusByMember),
        new("georadiusbymember_ro", GeoRadiusByMemberRo),
        new("geosearch", GeoSearchReply),
        new("geosearchstore", GeoSearchStore),
    ];

    /// <summary>This server's own: Redis takes memory without bound.</summary>
    public static ReadOnlySpan<byte> TooLong => "OOM a search finds more than this server collects"u8;

    // GEORADIUS key longitude latitude radius unit [options]
    private static void GeoRadius(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Position, MayStore: true), context);

    // GEORADIUS_RO key longitude latitude radius unit [options]
    private static void GeoRadiusRo(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Position), context);

    // GEORADIUSBYMEMBER key member radius unit [options]
    private static void GeoRadiusByMember(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Member, MayStore: true), context);

    // GEORADIUSBYMEMBER_RO key member radius unit [options]
    private static void GeoRadiusByMemberRo(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Member), context);

    // GEOSEARCH key options
    private static void GeoSearchReply(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Option), context);

    // GEOSEARCHSTORE destination source options
    private static void GeoSearchStore(in RespRequest request, CommandContext context) =>
        Search(request, new GeoForm(GeoCenterKind.Option, IsStore: true), context);

    private static void Search(in RespRequest request, GeoForm form, CommandContext context)
    {
        int destination = Find(request, form, context);
        if (destination > 0)
            Store(request, form, request[destination], context);
    }

    /// <summary>Replies, or gives way, unless the result is to be stored.</summary>
    /// <returns>The index of the key that it is written to; 0: it is done.</returns>
    private static int Find(in RespRequest request, GeoForm form, CommandContext context)
    {
        using var set = context.Store.SortedSet(request[form.Source]).TakeSnapshot(out var status);
        bool isAbsent = status == ReadStatus.NotFound;
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (!GeoOptions.TryParse(request, form, set, isAbsent, out var options))
            context.Reply.Error(options.Problem);
        else if (isAbsent && options.Destination == 0)
            context.Reply.ArrayHeader(0);
        else if (!isAbsent && context.SharesThread
            && context.TryGiveWay(GeoSearch.CountCandidates(set, options.Shape) * PointWork))
        {
            return 0;
        }
        else if (options.Destination > 0)
            return options.Destination;
        else
        {
            using var points = new GeoPoints();
            GeoSearch.Run(set, options, points);
            Reply(points, options, context);
        }

        return 0;
    }

    private static void Store(
        in RespRequest request, GeoForm form, ReadOnlySpan<byte> destination, CommandContext context)
    {
        using var points = new GeoPoints();
        var selection = new GeoSelection(request, form, points);
        var status = context.Store.StoreSelection(request[form.Source], ref selection, destination);
        if (status == WriteStatus.Done)
            context.Reply.Integer(points.Count);
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.Error(selection.Problem);
        else
            context.Reply.Refusal(status);
    }

    private static void Reply(GeoPoints points, scoped in GeoOptions options, CommandContext context)
    {
        var reply = context.Reply;
        if (points.IsTooLong)
        {
            reply.Error(TooLong);
            return;
        }

        int parts = (options.HasDistances ? 1 : 0) + (options.HasHashes ? 1 : 0) + (options.HasPositions ? 1 : 0);
        double unit = options.Shape.Unit;
        reply.ArrayHeader(points.Count);
        for (int i = 0; i < points.Count && !context.IsReplyOverLimit; i++)
        {
            if (parts > 0)
                reply.ArrayHeader(1 + parts);
            reply.Bulk(points.MemberAt(i));
            if (options.HasDistances)
                reply.Distance(points[i].Distance / unit);
            if (options.HasHashes)
                reply.Integer(GeoCell.ToSigned(points[i].Score));
            if (options.HasPositions)
                reply.Position(GeoCell.OfScore(points[i].Score).Center);
        }
    }
}
