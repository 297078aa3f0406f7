using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Sets;

/// <summary>Adds members to a set.</summary>
/// <remarks>integersMax: See <see cref="EncodingLimits.SetIntegers"/>.</remarks>
internal ref struct AddMembersEdit<TMembers>(TMembers members, long integersMax) : IPackedEdit, IObjectEdit
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
        for (int i = 0; i < Members.Count; i++)
        {
            var member = Members.GetKey(i);
            if (editor.Table.TryFind(member, PackedPrint.Of(member), out _))
                continue;
            if (!SetOrder.TryAdd(ref editor, member, integersMax))
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
        for (int i = 0; i < Members.Count; i++)
        {
            var member = Members.GetKey(i);
            if (!view.TryFindName(member, out _))
                changes.Put(member, default);
        }

        Added = 0;
        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = 0; i < Members.Count; i++)
            maker.AddMember(Members.GetKey(i));
    }

    public void Note(int added, int removed) => Added = added;
}
