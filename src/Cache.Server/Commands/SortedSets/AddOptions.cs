using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The options of ZADD: [NX | XX] [GT | LT] [CH] [INCR].</summary>
internal struct AddOptions
{
    public ScoreConditions Conditions { get; private set; }

    public bool IsIncrement { get; private set; }

    /// <summary>Whether changed members are counted, not new ones alone.</summary>
    public bool CountsChanged { get; private set; }

    /// <summary>The index of the first score.</summary>
    public int FirstScore { get; private set; }

    /// <summary>The number of scores.</summary>
    public int Count { get; private set; }

    /// <summary>Reads the options; replies with an error if they are wrong.</summary>
    public static bool TryParse(in RespRequest request, bool isIncrement, RespReplyWriter reply, out AddOptions options)
    {
        options = new AddOptions { IsIncrement = isIncrement, FirstScore = 2 };
        while (options.FirstScore < request.Count && options.TryTake(request[options.FirstScore]))
            options.FirstScore++;
        int rest = request.Count - options.FirstScore;
        options.Count = rest / 2;
        if (options.FindProblem(rest) is not { IsEmpty: false } problem)
            return true;
        reply.Error(problem);
        return false;
    }

    private readonly bool Has(ScoreConditions one) => (Conditions & one) == one;

    private bool TryTake(ReadOnlySpan<byte> word)
    {
        if (word.Is("NX"u8))
            Conditions |= ScoreConditions.IfAbsent;
        else if (word.Is("XX"u8))
            Conditions |= ScoreConditions.IfPresent;
        else if (word.Is("GT"u8))
            Conditions |= ScoreConditions.IfGreater;
        else if (word.Is("LT"u8))
            Conditions |= ScoreConditions.IfLess;
        else if (word.Is("CH"u8))
            CountsChanged = true;
        else if (word.Is("INCR"u8))
            IsIncrement = true;
        else
            return false;
        return true;
    }

    private readonly ReadOnlySpan<byte> FindProblem(int rest)
    {
        if (rest == 0 || rest % 2 != 0)
            return ErrorTexts.Syntax;
        if (Has(ScoreConditions.IfAbsent | ScoreConditions.IfPresent))
            return "ERR XX and NX options at the same time are not compatible"u8;
        if (Has(ScoreConditions.IfGreater | ScoreConditions.IfAbsent)
            || Has(ScoreConditions.IfLess | ScoreConditions.IfAbsent)
            || Has(ScoreConditions.IfGreater | ScoreConditions.IfLess))
        {
            return "ERR GT, LT, and/or NX options at the same time are not compatible"u8;
        }

        return IsIncrement && Count > 1 ? "ERR INCR option supports a single increment-element pair"u8 : default;
    }
}
