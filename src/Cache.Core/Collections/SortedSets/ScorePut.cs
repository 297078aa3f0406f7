using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>The write of one member's score.</summary>
internal struct ScorePut(ScoreConditions conditions, double score, bool isIncrement)
{
    /// <summary>The member's score afterwards, if the conditions hold.</summary>
    public double Score { get; private set; } = score;

    public bool IsNew { get; private set; }

    public bool IsUpdated { get; private set; }

    /// <returns>ConditionNotMet, or Overflow if the sum is no number: nothing is changed.</returns>
    public WriteStatus Run(scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, EncodingLimits limits)
    {
        var table = editor.Table;
        if (!table.TryFind(member, PackedPrint.Of(member), out var place))
            return Add(ref editor, member, limits);
        if ((conditions & ScoreConditions.IfAbsent) != 0)
            return WriteStatus.ConditionNotMet;
        double present = SortedOrder.ScoreAt(table, place);
        if (isIncrement)
            Score += present;
        if (double.IsNaN(Score))
            return WriteStatus.Overflow;
        if (((conditions & ScoreConditions.IfGreater) != 0 && Score <= present)
            || ((conditions & ScoreConditions.IfLess) != 0 && Score >= present))
        {
            return WriteStatus.ConditionNotMet;
        }

        if (Score == present)
            return WriteStatus.Done;
        IsUpdated = true;
        return SortedOrder.TryMove(ref editor, place, member, Score)
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }

    private WriteStatus Add(scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, EncodingLimits limits)
    {
        if ((conditions & ScoreConditions.IfPresent) != 0)
            return WriteStatus.ConditionNotMet;
        IsNew = true;
        return SortedOrder.TryAdd(ref editor, member, Score, limits)
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }
}
