using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Gives members of a sorted set scores, where the conditions hold.</summary>
internal ref struct AddScoresEdit<TScores>(TScores scores, ScoreConditions conditions, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
    where TScores : struct, IScoreSource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TScores Scores = scores;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>The number of members that were absent.</summary>
    public int Added { get; private set; }

    /// <summary>The number of members that had another score.</summary>
    public int Updated { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        (Added, Updated) = (0, 0);
        for (int i = 0; i < Scores.Count; i++)
        {
            var put = new ScorePut(conditions, Scores.GetScore(i), isIncrement: false);
            var status = put.Run(ref editor, Scores.GetKey(i), limits);
            if (status is not (WriteStatus.Done or WriteStatus.ConditionNotMet))
                return status;
            Added += put.IsNew ? 1 : 0;
            Updated += put.IsUpdated ? 1 : 0;
        }

        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Added, Updated) = (0, 0);
        var form = new ScoreForm(limits, view.Count, view.IsConverted);
        for (int i = 0; i < Scores.Count; i++)
        {
            var put = new ScorePut(conditions, Scores.GetScore(i), isIncrement: false);
            put.Plan(view, Scores.GetKey(i), changes, ref form);
            Added += put.IsNew ? 1 : 0;
            Updated += put.IsUpdated ? 1 : 0;
        }

        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = 0; i < Scores.Count; i++)
            maker.AddMember(Scores.GetKey(i));
    }

    public readonly void Note(int added, int removed)
    {
    }
}
