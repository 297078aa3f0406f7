using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Gives fields of a hash values; the last one of a field that occurs twice.</summary>
internal ref struct SetFieldsEdit<TFields>(TFields fields) : IPackedEdit
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
        for (int i = 0; i < Fields.Count; i++)
        {
            var field = Fields.GetKey(i);
            bool isNew = !editor.Table.TryFind(field, PackedPrint.Of(field), out var place);
            var status = SetFieldEdit.Put(ref editor, field, isNew ? null : place, Fields.GetValue(i));
            if (status != WriteStatus.Done)
            {
                Added = 0;
                return status;
            }

            Added += isNew ? 1 : 0;
        }

        return WriteStatus.Done;
    }
}
