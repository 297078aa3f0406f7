using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>
/// What is asked of a range: [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES] behind its ends.
/// </summary>
internal ref struct RangeArguments
{
    private RangeKind _kind;
    private bool? _isReversed;
    private bool _hasLimit;
    private long _offset;
    private long _limit;

    public static ReadOnlySpan<byte> NotScores => "ERR min or max is not a float"u8;

    public static ReadOnlySpan<byte> NotMembers => "ERR min or max not valid string range item"u8;

    /// <summary>The range.</summary>
    public SortedSetRange Range { get; private set; }

    public bool HasScores { get; private set; }

    /// <summary>Reads them; replies with an error if they are wrong.</summary>
    /// <param name="request">The request.</param>
    /// <param name="first">The index of the range's first end.</param>
    /// <param name="kind">What the ends are; Any: an option says so.</param>
    /// <param name="isReversed">Whether the highest come first; null: an option says so.</param>
    /// <param name="mayHaveScores">Whether the reply may have scores.</param>
    /// <param name="reply">Receives the error.</param>
    /// <param name="arguments">What was read.</param>
    public static bool TryParse(
        in RespRequest request, int first, RangeKind kind, bool? isReversed, bool mayHaveScores, RespReplyWriter reply,
        out RangeArguments arguments)
    {
        arguments = new RangeArguments { _kind = kind, _isReversed = isReversed, _limit = -1 };
        for (int i = first + 2; i < request.Count; i++)
        {
            if (arguments.TryTake(request[i], mayHaveScores))
                continue;
            if (!request[i].Is("LIMIT"u8) || i + 2 >= request.Count)
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }

            if (!RespInteger.TryParse(request[i + 1], out arguments._offset)
                || !RespInteger.TryParse(request[i + 2], out arguments._limit))
            {
                reply.Error(ErrorTexts.NotAnInteger);
                return false;
            }

            arguments._hasLimit = true;
            i += 2;
        }

        var problem = arguments.FindProblem();
        if (problem.IsEmpty)
            problem = arguments.Read(request[first], request[first + 1]);
        if (problem.IsEmpty)
            return true;
        reply.Error(problem);
        return false;
    }

    private bool TryTake(ReadOnlySpan<byte> word, bool mayHaveScores)
    {
        if (mayHaveScores && word.Is("WITHSCORES"u8))
            HasScores = true;
        else if (_isReversed is not false && IsDirectionOpen && word.Is("REV"u8))
            _isReversed = true;
        else if (_kind == RangeKind.Any && word.Is("BYLEX"u8))
            _kind = RangeKind.Member;
        else if (_kind == RangeKind.Any && word.Is("BYSCORE"u8))
            _kind = RangeKind.Score;
        else
            return false;
        return true;
    }

    private readonly bool IsDirectionOpen => _isReversed is null;

    // A limit of -1 is none.
    private readonly ReadOnlySpan<byte> FindProblem()
    {
        if (_kind is RangeKind.Any or RangeKind.Rank && _hasLimit && _limit != -1)
        {
            return "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"u8;
        }

        return _kind == RangeKind.Member && HasScores
            ? "ERR syntax error, WITHSCORES not supported in combination with BYLEX"u8
            : default;
    }

    // A reversed range by score or member is written with its upper end first.
    private ReadOnlySpan<byte> Read(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        bool isReversed = _isReversed is true;
        var min = isReversed ? second : first;
        var max = isReversed ? first : second;
        SortedSetRange range;
        if (_kind == RangeKind.Score)
        {
            if (!RangeEnd.TryParseScores(min, max, out var minScore, out var maxScore))
                return NotScores;
            range = SortedSetRange.ByScore(minScore, maxScore) with { Offset = _offset, Limit = _limit };
        }
        else if (_kind == RangeKind.Member)
        {
            if (!RangeEnd.TryParseMembers(min, max, out var minMember, out var maxMember))
                return NotMembers;
            range = SortedSetRange.ByMember(minMember, maxMember) with { Offset = _offset, Limit = _limit };
        }
        else
        {
            if (!RespInteger.TryParse(first, out long start) || !RespInteger.TryParse(second, out long end))
                return ErrorTexts.NotAnInteger;
            range = SortedSetRange.ByRank(start, end);
        }

        Range = range with { IsReversed = isReversed };
        return default;
    }
}
