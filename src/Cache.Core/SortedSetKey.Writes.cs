using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.SortedSets;

namespace Cache.Core;

/// <summary>Writes of one sorted set.</summary>
public readonly ref partial struct SortedSetKey
{
    /// <summary>Gives a member a score. The key's expiry stays.</summary>
    /// <exception cref="ArgumentException">The score is NaN.</exception>
    public WriteStatus Add(ReadOnlySpan<byte> member, double score) =>
        Add(member, score, ScoreConditions.None, out _);

    /// <summary>Gives a member a score if the conditions hold. The key's expiry stays.</summary>
    /// <param name="member">The member.</param>
    /// <param name="score">Its score.</param>
    /// <param name="conditions">The conditions.</param>
    /// <param name="isNew">Whether it was absent.</param>
    /// <returns>ConditionNotMet if they do not hold.</returns>
    /// <exception cref="ArgumentException">The score is NaN.</exception>
    public WriteStatus Add(ReadOnlySpan<byte> member, double score, ScoreConditions conditions, out bool isNew)
    {
        ThrowIfNaN(score, nameof(score));
        var edit = new AddScoreEdit(member, score, conditions, _store.State.EncodingLimits);
        var status = Write(ref edit);
        isNew = status == WriteStatus.Done && edit.IsNew;
        return status;
    }

    /// <summary>Gives several members scores, those for which the conditions hold. The key's expiry stays.</summary>
    /// <remarks>
    /// A member that occurs twice is written twice. At most 128 are written all or none, more in steps of as many:
    /// others may see the first steps before the last, and where one of them fails, those before it stay.
    /// </remarks>
    /// <param name="scores">The members with their scores, none of which is NaN.</param>
    /// <param name="conditions">The conditions.</param>
    /// <param name="added">The number of members that were absent.</param>
    /// <param name="updated">The number of members that had another score.</param>
    public WriteStatus AddMany<TScores>(
        ref TScores scores, ScoreConditions conditions, out int added, out int updated)
        where TScores : struct, IScoreSource, allows ref struct
    {
        (added, updated) = (0, 0);
        var status = WriteStatus.Done;
        for (int from = 0; (from < scores.Count || from == 0) && status == WriteStatus.Done; from += StepMax)
        {
            var step = new ScoreSlice<TScores>(scores, from, Math.Min(scores.Count - from, StepMax));
            status = AddStep(ref step, conditions, out int more, out int changed);
            scores = step.Scores;
            added += more;
            updated += changed;
        }

        return status;
    }

    /// <summary>Adds to the score of a member; an absent one counts as 0.</summary>
    /// <param name="member">The member.</param>
    /// <param name="delta">The number to add, perhaps negative.</param>
    /// <param name="result">The sum, if it was written.</param>
    /// <returns>Overflow if the sum is no number: infinity minus infinity.</returns>
    /// <exception cref="ArgumentException">The number is NaN.</exception>
    public WriteStatus Increment(ReadOnlySpan<byte> member, double delta, out double result) =>
        Increment(member, delta, ScoreConditions.None, out result);

    /// <summary>Adds to the score of a member if the conditions hold, of which those on scores mean the sum.</summary>
    /// <param name="member">The member.</param>
    /// <param name="delta">The number to add, perhaps negative.</param>
    /// <param name="conditions">The conditions.</param>
    /// <param name="result">The sum, if the conditions hold.</param>
    /// <returns>ConditionNotMet, or Overflow if the sum is no number.</returns>
    /// <exception cref="ArgumentException">The number is NaN.</exception>
    public WriteStatus Increment(
        ReadOnlySpan<byte> member, double delta, ScoreConditions conditions, out double result)
    {
        ThrowIfNaN(delta, nameof(delta));
        var edit = new IncrementScoreEdit(member, delta, conditions, _store.State.EncodingLimits);
        var status = Write(ref edit);
        result = status == WriteStatus.Done ? edit.Result : 0;
        return status;
    }

    /// <summary>Removes a member.</summary>
    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(ReadOnlySpan<byte> member)
    {
        var edit = new RemoveNamesEdit<OneName>(EntryKind.SortedSet, new OneName(member), from: 0, count: 1);
        return Write(ref edit);
    }

    /// <summary>Removes several members, in steps of at most 128.</summary>
    /// <param name="members">The members.</param>
    /// <param name="removed">The number of those that were there.</param>
    /// <returns>NotFound if none was.</returns>
    public WriteStatus RemoveMany<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        removed = 0;
        for (int from = 0; from < members.Count || from == 0; from += StepMax)
        {
            var step = new KeySlice<TMembers>(members, from, Math.Min(members.Count - from, StepMax));
            var status = RemoveStep(ref step, out int more);
            members = step.Names;
            removed += more;
            if (status is not (WriteStatus.Done or WriteStatus.NotFound))
                return status;
        }

        return removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    /// <summary>Removes the members of a range, of a sorted set of more than 4 KB in steps of at most 128.</summary>
    /// <param name="range">The range.</param>
    /// <param name="removed">How many they were.</param>
    /// <returns>NotFound if it has none.</returns>
    public WriteStatus RemoveRange(in SortedSetRange range, out int removed)
    {
        removed = 0;
        RangeSlice? rest = null;
        do
        {
            var edit = new RemoveRangeEdit(range, rest);
            var status = Write(ref edit);
            if (status != WriteStatus.Done)
                return removed > 0 && status == WriteStatus.NotFound ? WriteStatus.Done : status;
            removed += edit.Removed;
            rest = edit.Rest;
        }
        while (rest.Value.Count > 0);
        return WriteStatus.Done;
    }

    /// <summary>Removes the lowest or the highest members, and tells the sink which, once they are removed.</summary>
    /// <remarks>
    /// More than 128 members of a sorted set of more than 4 KB are removed in steps of as many; they end where those
    /// that are told would take an eighth of the store's limit.
    /// </remarks>
    /// <param name="count">How many; no more than there are. 0 removes none.</param>
    /// <param name="takesHighest">Whether the highest, from the highest on.</param>
    /// <param name="sink">Receives the members, if the status is Done.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Pop<TSink>(long count, bool takesHighest, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        using var taken = TakenMembers.Rent();
        var status = PopSteps(count, takesHighest, taken);
        if (status != WriteStatus.Done && taken.Count == 0)
            return status;
        Tell(taken, ref sink);
        return WriteStatus.Done;
    }

    /// <summary>
    /// Makes some members with their scores the value of the key, whatever it had; it never expires then. None removes
    /// the key.
    /// </summary>
    /// <param name="scores">The members with their scores; if one occurs twice, the last score counts.</param>
    public WriteStatus Replace<TScores>(ref TScores scores)
        where TScores : struct, IScoreSource, allows ref struct
    {
        if (scores.Count > 0)
            return _store.Counted(SortedSetReplacer.Write(_store.State, _key, ref scores));
        _store.Remove(_key.Bytes);
        return WriteStatus.Done;
    }

    // What others add meanwhile is not removed: it ends. Where a step is refused, those before it are told.
    private WriteStatus PopSteps(long count, bool takesHighest, TakenMembers taken)
    {
        long left = count;
        WriteStatus status;
        do
        {
            var before = taken.End;
            var edit = new PopScoresEdit(left, takesHighest, taken);
            status = Write(ref edit);
            if (status != WriteStatus.Done)
                taken.Truncate(before); // They were only planned.
            left = Math.Min(left, edit.Present) - (taken.Count - before.Count);
        }
        while (status == WriteStatus.Done && left > 0 && taken.Bytes < _store.TakenMembersMax);
        return status;
    }

    // At most a step's.
    private WriteStatus AddStep<TScores>(
        ref TScores scores, ScoreConditions conditions, out int added, out int updated)
        where TScores : struct, IScoreSource, allows ref struct
    {
        if (scores.Count > NameTable.CountMin)
            return AddTable(ref scores, conditions, out added, out updated);
        var edit = new AddScoresEdit<TScores>(scores, conditions, _store.State.EncodingLimits);
        var status = Write(ref edit);
        scores = edit.Scores;
        (added, updated) = status == WriteStatus.Done ? (edit.Added, edit.Updated) : (0, 0);
        return status;
    }

    private WriteStatus AddTable<TScores>(
        ref TScores scores, ScoreConditions conditions, out int added, out int updated)
        where TScores : struct, IScoreSource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref scores);
        var edit = new AddManyScoresEdit<TScores>(scores, table, conditions, _store.State.EncodingLimits);
        var status = Write(ref edit);
        scores = edit.Scores;
        (added, updated) = status == WriteStatus.Done ? (edit.Added, edit.Updated) : (0, 0);
        return status;
    }

    private WriteStatus RemoveStep<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        if (members.Count > NameTable.CountMin)
            return RemoveTable(ref members, out removed);
        var edit = new RemoveNamesEdit<TMembers>(EntryKind.SortedSet, members, from: 0, members.Count);
        var status = Write(ref edit);
        members = edit.Names;
        removed = status == WriteStatus.Done ? edit.Removed : 0;
        return status;
    }

    private WriteStatus RemoveTable<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref members);
        var edit = new RemoveManyNamesEdit<TMembers>(EntryKind.SortedSet, members, table);
        var status = Write(ref edit);
        members = edit.Names;
        removed = status == WriteStatus.Done ? edit.Removed : 0;
        return status;
    }

    private static void ThrowIfNaN(double score, string name)
    {
        if (double.IsNaN(score))
            throw new ArgumentException("A score is a number.", name);
    }

    private WriteStatus Write<TEdit>(ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct =>
        _store.Counted(ObjectWriter.Write(_store.State, _key, ref edit));
}
