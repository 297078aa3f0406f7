using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Adds to the score of a member, where the conditions hold.</summary>
internal ref struct IncrementScoreEdit(
    ReadOnlySpan<byte> member, double delta, ScoreConditions conditions, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _member = member;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>The score afterwards.</summary>
    public double Result { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var put = new ScorePut(conditions, delta, isIncrement: true);
        var status = put.Run(ref editor, _member, limits);
        Result = put.Score;
        return status;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var put = new ScorePut(conditions, delta, isIncrement: true);
        var form = new ScoreForm(limits, view.Count, view.IsConverted);
        var status = put.Plan(view, _member, changes, ref form);
        Result = put.Score;
        return status;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => maker.AddMember(_member);

    public readonly void Note(int added, int removed)
    {
    }
}
