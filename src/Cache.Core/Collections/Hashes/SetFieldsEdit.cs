using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Hashes;

/// <summary>Gives fields of a hash values; the last one of a field that occurs twice.</summary>
/// <remarks>from, count: Which of the source's; at most a step's.</remarks>
internal ref struct SetFieldsEdit<TFields>(TFields fields, int from, int count, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
    where TFields : struct, IEntrySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TFields Fields = fields;

    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>The number of fields that were absent.</summary>
    public int Added { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Added = 0;
        for (int i = from; i < from + count; i++)
        {
            var field = Fields.GetKey(i);
            bool isNew = !editor.Table.TryFind(field, PackedPrint.Of(field), out var place);
            var status = SetFieldEdit.Put(ref editor, field, isNew ? null : place, Fields.GetValue(i), limits);
            if (status != WriteStatus.Done)
            {
                Added = 0;
                return status;
            }

            Added += isNew ? 1 : 0;
        }

        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        for (int i = from; i < from + count; i++)
            changes.Put(Fields.GetKey(i), Fields.GetValue(i));
        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = from; i < from + count; i++)
            maker.Add(Fields.GetKey(i), Fields.GetValue(i));
    }

    public void Note(int added, int removed) => Added = added;
}
