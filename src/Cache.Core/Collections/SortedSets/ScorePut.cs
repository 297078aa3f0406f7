using Cache.Core.Collections.Objects;
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
        var status = Replace(SortedOrder.ScoreAt(table, place));
        if (!IsUpdated)
            return status;
        return SortedOrder.TryMove(ref editor, place, member, Score)
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }

    /// <summary>The same of a large sorted set.</summary>
    public WriteStatus Plan(
        scoped in ObjectView view, scoped ReadOnlySpan<byte> member, ElementChanges changes, EncodingLimits limits)
    {
        // What is written twice counts twice.
        bool exists = changes.TryFindLast(member, out var value);
        if (!exists && view.TryFindName(member, out var entry))
        {
            exists = true;
            value = entry.Value;
        }

        if (!exists && (conditions & ScoreConditions.IfPresent) != 0)
            return WriteStatus.ConditionNotMet;
        double present = 0;
        if (exists && !PackedScore.TryRead(value, out present))
            PackedCheck.ThrowDamaged();
        var status = exists ? Replace(present) : WriteStatus.Done;
        IsNew = !exists;
        if (!IsNew && !IsUpdated)
            return status;
        bool isConverted = view.IsConverted || (IsNew && (member.Length > limits.SortedSetMemberLength
            || view.Count + changes.Count >= limits.SortedSetMembers));
        if (Score == 0 && !isConverted)
            Score = 0; // Redis's compact encoding has no −0.
        Span<byte> score = stackalloc byte[PackedScore.LengthMax];
        changes.PutScore(member, score[..PackedScore.Write(Score, score)]);
        return WriteStatus.Done;
    }

    // Decides whether a score takes the place of another one.
    private WriteStatus Replace(double present)
    {
        if ((conditions & ScoreConditions.IfAbsent) != 0)
            return WriteStatus.ConditionNotMet;
        if (isIncrement)
            Score += present;
        if (double.IsNaN(Score))
            return WriteStatus.Overflow;
        if (((conditions & ScoreConditions.IfGreater) != 0 && Score <= present)
            || ((conditions & ScoreConditions.IfLess) != 0 && Score >= present))
        {
            return WriteStatus.ConditionNotMet;
        }

        IsUpdated = Score != present;
        return WriteStatus.Done;
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
