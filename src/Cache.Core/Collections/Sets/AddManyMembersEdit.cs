using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Sets;

/// <summary>As <see cref="AddMembersEdit{TMembers}"/>, of many members.</summary>
internal ref struct AddManyMembersEdit<TMembers>(TMembers members, NameTable table, long integersMax)
    : IPackedEdit, IObjectEdit
    where TMembers : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TMembers Members = members;

    public readonly EntryKind Kind => EntryKind.Set;

    /// <summary>The number of members that were absent.</summary>
    public int Added { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Added = 0;
        table.ClearMarks();
        var present = editor.Table;
        for (var place = PackedTable.BeforeFirst; present.TryMoveNext(ref place);)
        {
            int index = table.Find(ref Members, present.NameAt(place));
            if (index >= 0)
                table.MarkAt(index) = 1;
        }

        for (int i = 0; i < table.Count; i++)
        {
            if (table.FirstOf(i) != i || table.MarkAt(i) != 0)
                continue;
            if (!SetOrder.TryAdd(ref editor, Members.GetKey(i), integersMax))
            {
                Added = 0;
                return WriteStatus.CollectionTooLong;
            }

            Added++;
        }

        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        for (int i = 0; i < table.Count; i++)
        {
            var member = Members.GetKey(i);
            if (table.FirstOf(i) == i && !view.TryFindName(member, out _))
                changes.Put(member, default);
        }

        Added = 0;
        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = 0; i < table.Count; i++)
            maker.AddMember(Members.GetKey(i));
    }

    public void Note(int added, int removed) => Added = added;
}
