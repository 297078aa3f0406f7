using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>
/// What is asked of a combination: numkeys key [key ...] [WEIGHTS …] [AGGREGATE …] [WITHSCORES] [LIMIT limit].
/// </summary>
internal ref struct CombinationArguments
{
    private RequestSlice _keys;
    private ReadOnlySpan<byte> _problem;
    private bool _hasWeights;
    private long _limit;

    public RequestSlice Keys => _keys;

    /// <summary>The weights; empty: none were given.</summary>
    public double[] Weights { get; private set; }

    public ScoreAggregate Aggregate { get; private set; }

    public bool HasScores { get; private set; }

    /// <summary>The most members that are counted; 0: all.</summary>
    public readonly long Limit => _limit;

    /// <summary>Reads them, in Redis's order: keys and their types before options; replies if they are wrong.</summary>
    /// <param name="request">The request.</param>
    /// <param name="first">The index of the number of keys.</param>
    /// <param name="form">The command.</param>
    /// <param name="context">The client.</param>
    /// <param name="arguments">What was read.</param>
    public static bool TryParse(
        scoped in RespRequest request, int first, CombinationForm form, CommandContext context,
        out CombinationArguments arguments)
    {
        arguments = new CombinationArguments { Weights = [] };
        if (!arguments.TryReadKeys(request, first, form, context))
            return false;
        int i = first + 1 + arguments._keys.Count;
        while (i < request.Count)
        {
            int taken = arguments.Take(request, i, form);
            if (taken == 0)
            {
                context.Reply.Error(arguments._problem);
                return false;
            }

            i += taken;
        }

        return true;
    }

    private bool TryReadKeys(scoped in RespRequest request, int first, CombinationForm form, CommandContext context)
    {
        if (!RespInteger.TryParse(request[first], out long count))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else if (count < 1)
            context.Reply.Error(
                [.. "ERR at least 1 input key is needed for '"u8, .. form.Name, .. "' command"u8]);
        else if (count > request.Count - first - 1)
            context.Reply.Error(ErrorTexts.Syntax);
        else
        {
            _keys = new RequestSlice(request, first + 1, (int)count);
            return AreSets(context);
        }

        return false;
    }

    private readonly bool AreSets(CommandContext context)
    {
        for (int i = 0; i < _keys.Count; i++)
        {
            if (context.Store.TryPeekInfo(_keys.GetKey(i), out var info)
                && info.Kind is not (EntryKind.Set or EntryKind.SortedSet))
            {
                context.Reply.Error(ErrorTexts.WrongType);
                return false;
            }
        }

        return true;
    }

    /// <returns>The words that the option at an index has; 0: it is wrong.</returns>
    private int Take(scoped in RespRequest request, int index, CombinationForm form)
    {
        _problem = ErrorTexts.Syntax;
        var word = request[index];
        int left = request.Count - index;
        if (form.HasWeights && left > _keys.Count && word.Is("WEIGHTS"u8))
            return TakeWeights(request, index + 1);
        if (form.HasWeights && left >= 2 && word.Is("AGGREGATE"u8))
            return TakeAggregate(request[index + 1]);
        if (form.MayHaveScores && word.Is("WITHSCORES"u8))
        {
            HasScores = true;
            return 1;
        }

        if (!form.IsCount || left < 2 || !word.Is("LIMIT"u8))
            return 0;
        _problem = "ERR LIMIT can't be negative"u8;
        return RespInteger.TryParse(request[index + 1], out _limit) && _limit >= 0 ? 2 : 0;
    }

    private int TakeWeights(scoped in RespRequest request, int first)
    {
        if (!_hasWeights)
            Weights = new double[_keys.Count]; // As many as the request has keys.
        _hasWeights = true;
        for (int i = 0; i < Weights.Length; i++)
        {
            if (!CDouble.TryParseScore(request[first + i], out Weights[i]))
            {
                _problem = "ERR weight value is not a float"u8;
                return 0;
            }
        }

        return 1 + Weights.Length;
    }

    private int TakeAggregate(ReadOnlySpan<byte> word)
    {
        if (word.Is("SUM"u8))
            Aggregate = ScoreAggregate.Sum;
        else if (word.Is("MIN"u8))
            Aggregate = ScoreAggregate.Min;
        else if (word.Is("MAX"u8))
            Aggregate = ScoreAggregate.Max;
        else
            return 0;
        return 2;
    }
}
