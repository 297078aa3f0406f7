using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;

namespace Cache.Core.Collections.Hashes;

/// <summary>Gives a field of a hash the value that the caller's code computes from the present one.</summary>
internal ref struct UpdateFieldEdit<TUpdate>(ReadOnlySpan<byte> field, TUpdate update, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
    where TUpdate : struct, IValueUpdate, allows ref struct
{
    private readonly ReadOnlySpan<byte> _field = field;

    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>The caller's code.</summary>
    public TUpdate Update = update;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var table = editor.Table;
        bool exists = table.TryFind(_field, PackedPrint.Of(_field), out var place);
        var present = exists ? table.ValueAt(place) : default;
        var status = ValueUpdater.Make(present.Length, present, exists, ref Update);
        return status == WriteStatus.Done
            ? SetFieldEdit.PutKeeping(ref editor, _field, exists ? place : null, Update.Value, limits)
            : status;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        bool exists = view.TryFindField(_field, out var entry);
        var present = exists ? view.ValueOf(entry) : default;
        var status = ValueUpdater.Make(present.Length, present, exists, ref Update);
        if (status == WriteStatus.Done)
            changes.PutComputed(_field, Update.Value);
        if (status == WriteStatus.Done && exists && entry.Moment != 0)
            changes.Expire(_field, entry.Moment);
        return status;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => maker.Add(_field, Update.Value);

    public readonly void Note(int added, int removed)
    {
    }
}
