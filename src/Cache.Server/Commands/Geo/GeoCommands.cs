using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>The commands that add points to a sorted set, and read them.</summary>
internal static class GeoCommands
{
    // Scores that need no array.
    private const int DirectScoresMax = 16;

    // The time to read a point and to find its place, and that to find a member, in nanoseconds.
    private const long PositionWork = 1_000;
    private const long MemberWork = 200;

    // Of a geohash: ten letters of five bits, and one that says nothing.
    private const int LetterBits = 5;
    private const int LettersMax = 11;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("geoadd", GeoAdd),
        new("geodist", GeoDist),
        new("geohash", GeoHash),
        new("geopos", GeoPos),
    ];

    private static ReadOnlySpan<byte> Letters => "0123456789bcdefghjkmnpqrstuvwxyz"u8;

    // GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]
    private static void GeoAdd(in RespRequest request, CommandContext context)
    {
        int first = ReadOptions(request, out var conditions, out bool countsChanged);
        int rest = request.Count - first;
        if (rest == 0 || rest % 3 != 0 || conditions == (ScoreConditions.IfAbsent | ScoreConditions.IfPresent))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        int count = rest / 3;
        if (context.TryGiveWay(count * PositionWork))
            return;
        double[]? rented = count > DirectScoresMax ? ArrayPool<double>.Shared.Rent(count) : null;
        Span<double> scores = (rented ?? stackalloc double[DirectScoresMax])[..count];
        var problem = ReadScores(request, first, scores);
        if (problem.IsEmpty)
            Add(request[1], new RequestPositions(request, first, scores), conditions, countsChanged, context);
        else
            context.Reply.Error(problem);
        if (rented is not null)
            ArrayPool<double>.Shared.Return(rented);
    }

    private static int ReadOptions(in RespRequest request, out ScoreConditions conditions, out bool countsChanged)
    {
        (conditions, countsChanged) = (ScoreConditions.None, false);
        int index = 2;
        for (; index < request.Count; index++)
        {
            var word = request[index];
            if (word.Is("NX"u8))
                conditions |= ScoreConditions.IfAbsent;
            else if (word.Is("XX"u8))
                conditions |= ScoreConditions.IfPresent;
            else if (word.Is("CH"u8))
                countsChanged = true;
            else
                break;
        }

        return index;
    }

    private static ReadOnlySpan<byte> ReadScores(scoped in RespRequest request, int first, Span<double> scores)
    {
        for (int i = 0; i < scores.Length; i++)
        {
            var problem = GeoArguments.ReadPosition(request, first + i * 3, out var position);
            if (!problem.IsEmpty)
                return problem;
            scores[i] = GeoCell.Of(position, GeoCell.StepsMax).FirstScore;
        }

        return default;
    }

    private static void Add(
        ReadOnlySpan<byte> key, scoped RequestPositions positions, ScoreConditions conditions, bool countsChanged,
        CommandContext context)
    {
        var status = context.Store.SortedSet(key).AddMany(ref positions, conditions, out int added, out int updated);
        if (status == WriteStatus.Done)
            context.Reply.Integer(countsChanged ? added + updated : added);
        else
            context.Reply.Refusal(status);
    }

    // GEODIST key member1 member2 [unit]
    private static void GeoDist(in RespRequest request, CommandContext context)
    {
        double unit = 1;
        if (request.Count > 5 || (request.Count == 5 && !GeoUnit.TryParse(request[4], out unit)))
        {
            context.Reply.Error(request.Count > 5 ? ErrorTexts.Syntax : GeoUnit.Problem);
            return;
        }

        using var set = context.Store.SortedSet(request[1]).TakeSnapshot(out var status);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (!set.TryGetScore(request[2], out double score) || !set.TryGetScore(request[3], out double other))
            context.Reply.Null();
        else
        {
            var (from, to) = (GeoCell.OfScore(score).Center, GeoCell.OfScore(other).Center);
            context.Reply.Distance(from.DistanceTo(to) / unit);
        }
    }

    // GEOHASH key [member ...]
    private static void GeoHash(in RespRequest request, CommandContext context) =>
        ReplyEach(request, isHash: true, context);

    // GEOPOS key [member ...]
    private static void GeoPos(in RespRequest request, CommandContext context) =>
        ReplyEach(request, isHash: false, context);

    private static void ReplyEach(in RespRequest request, bool isHash, CommandContext context)
    {
        var members = new RequestNames(request);
        if (context.TryGiveWay(members.Count * MemberWork))
            return;
        double?[] scores = ArrayPool<double?>.Shared.Rent(members.Count);
        var status = context.Store.SortedSet(request[1]).GetScores(ref members, scores);
        if (status == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else
            ReplyEach(scores.AsSpan(0, members.Count), isHash, context.Reply);
        ArrayPool<double?>.Shared.Return(scores);
    }

    private static void ReplyEach(ReadOnlySpan<double?> scores, bool isHash, RespReplyWriter reply)
    {
        reply.ArrayHeader(scores.Length);
        foreach (double? score in scores)
        {
            if (score is not double present)
            {
                if (isHash)
                    reply.Null();
                else
                    reply.NullArray();
            }
            else if (isHash)
                ReplyHash(GeoCell.OfScore(present).Center, reply);
            else
                reply.Position(GeoCell.OfScore(present).Center);
        }
    }

    private static void ReplyHash(GeoPosition position, RespReplyWriter reply)
    {
        ulong bits = GeoCell.OfGeohash(position).Bits;
        Span<byte> text = stackalloc byte[LettersMax];
        for (int i = 0; i < LettersMax - 1; i++)
            text[i] = Letters[(int)(bits >> (2 * GeoCell.StepsMax - (i + 1) * LetterBits)) & 0x1f];
        text[LettersMax - 1] = Letters[0];
        reply.Bulk(text);
    }
}
