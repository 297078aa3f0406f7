using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>As <see cref="AddScoresEdit{TScores}"/>, of many members.</summary>
/// <remarks>
/// The scores are applied one after the other beside the sorted set; then each member is written once.
/// </remarks>
internal ref struct AddManyScoresEdit<TScores>(
    TScores scores, NameTable table, ScoreConditions conditions, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
    where TScores : struct, IScoreSource, allows ref struct
{
    // What is known of a member.
    private const int Present = 1;
    private const int Changed = 2;

    /// <summary>The caller's source.</summary>
    public TScores Scores = scores;

    // As the scores are applied: the members, and whether Redis would have converted the set.
    private int _count;
    private bool _isConverted;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>The number of members that were absent.</summary>
    public int Added { get; private set; }

    /// <summary>The number of scores that were others.</summary>
    public int Updated { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        (Added, Updated) = (0, 0);
        (_count, _isConverted) = (editor.Count, (editor.Flags & PackedTable.ConvertedFlag) != 0);
        table.ClearMarks();
        var present = editor.Table;
        for (var place = PackedTable.BeforeFirst; present.TryMoveNext(ref place);)
        {
            int index = table.Find(ref Scores, present.NameAt(place));
            if (index < 0)
                continue;
            table.MarkAt(index) = Present;
            table.ScoreAt(index) = SortedOrder.ScoreAt(present, place);
        }

        for (int i = 0; i < table.Count; i++)
            Apply(table.FirstOf(i), Scores.GetScore(i));
        if (_isConverted)
            editor.Flags |= PackedTable.ConvertedFlag;
        RemoveChanged(ref editor);
        return Put(ref editor);
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Added, Updated) = (0, 0);
        (_count, _isConverted) = ((int)view.Count, view.IsConverted);
        table.ClearMarks();
        for (int i = 0; i < table.Count; i++)
        {
            if (table.FirstOf(i) != i || !view.TryFindName(Scores.GetKey(i), out var entry))
                continue;
            if (!PackedScore.TryRead(entry.Value, out table.ScoreAt(i)))
                PackedCheck.ThrowDamaged();
            table.MarkAt(i) = Present;
        }

        for (int i = 0; i < table.Count; i++)
            Apply(table.FirstOf(i), Scores.GetScore(i));
        Span<byte> score = stackalloc byte[PackedScore.LengthMax];
        for (int i = 0; i < table.Count; i++)
        {
            if (table.FirstOf(i) == i && (table.MarkAt(i) & Changed) != 0)
                changes.PutScore(Scores.GetKey(i), score[..PackedScore.Write(table.ScoreAt(i), score)]);
        }

        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = 0; i < table.Count; i++)
            maker.AddMember(Scores.GetKey(i));
    }

    public readonly void Note(int added, int removed)
    {
    }

    private void Apply(int index, double score)
    {
        ref int mark = ref table.MarkAt(index);
        ref double present = ref table.ScoreAt(index);
        bool isNew = mark == 0;
        if ((conditions & (isNew ? ScoreConditions.IfPresent : ScoreConditions.IfAbsent)) != 0)
            return;
        if (!isNew && (((conditions & ScoreConditions.IfGreater) != 0 && score <= present)
            || ((conditions & ScoreConditions.IfLess) != 0 && score >= present) || score == present))
        {
            return;
        }

        if (isNew)
        {
            _isConverted |= _count >= limits.SortedSetMembers
                || Scores.GetKey(index).Length > limits.SortedSetMemberLength;
            _count++;
        }

        if (score == 0 && !_isConverted)
            score = 0; // Redis's compact encoding has no −0.
        Added += isNew ? 1 : 0;
        Updated += isNew ? 0 : 1;
        mark |= Present | Changed;
        present = score;
    }

    private void RemoveChanged(scoped ref PackedEditor editor)
    {
        for (int index = 0, start = 0; index < editor.Count;)
        {
            if (!editor.Table.TryReadAt(index, start, out var place))
                PackedCheck.ThrowDamaged();
            int found = table.Find(ref Scores, editor.Table.NameAt(place));
            if (found >= 0 && (table.MarkAt(found) & Changed) != 0)
            {
                editor.Remove(place);
                continue;
            }

            index++;
            start = place.End;
        }
    }

    private WriteStatus Put(scoped ref PackedEditor editor)
    {
        for (int i = 0; i < table.Count; i++)
        {
            if (table.FirstOf(i) == i && (table.MarkAt(i) & Changed) != 0
                && !SortedOrder.TryAdd(ref editor, Scores.GetKey(i), table.ScoreAt(i), limits))
            {
                return WriteStatus.CollectionTooLong;
            }
        }

        return WriteStatus.Done;
    }
}
