using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Gives a member of a sorted set a score, if the conditions hold.</summary>
internal ref struct AddScoreEdit(
    ReadOnlySpan<byte> member, double score, ScoreConditions conditions, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _member = member;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    public bool IsNew { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var put = new ScorePut(conditions, score, isIncrement: false);
        var status = put.Run(ref editor, _member, limits);
        IsNew = put.IsNew;
        return status;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var put = new ScorePut(conditions, score, isIncrement: false);
        var form = new ScoreForm(limits, view.Count, view.IsConverted);
        var status = put.Plan(view, _member, changes, ref form);
        IsNew = put.IsNew;
        return status;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => maker.AddMember(_member);

    public readonly void Note(int added, int removed)
    {
    }
}
