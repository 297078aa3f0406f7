using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Hashes;

/// <summary>Reads fields of a hash, and removes them, or changes when they expire, in the same moment.</summary>
/// <remarks>
/// from: The first of the source's. moment: When they expire; 0 never; one that has passed at nowMs removes them.
/// taken: Receives each field's value, or a miss. A step ends at its bytes too.
/// </remarks>
internal ref struct TakeFieldsEdit<TFields>(TFields fields, int from, long moment, long nowMs, TakenMembers taken)
    : IPackedEdit, IObjectEdit
    where TFields : struct, IKeySource, allows ref struct
{
    /// <summary>As the score of what was taken: there was no such field.</summary>
    public const double Miss = 1;

    // They are copied while the hash is held, and one field may be named again and again.
    private const long BytesMax = 16 << 20;

    private readonly bool _removes = moment != 0 && moment <= nowMs;

    /// <summary>The caller's source.</summary>
    public TFields Fields = fields;

    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>How many of the source's it came to.</summary>
    public int Count { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        taken.Clear();
        bool isAny = false;
        int end = Math.Min(Fields.Count, from + ElementChanges.CountMax);
        for (int i = from; i < end; i++)
        {
            var field = Fields.GetKey(i);
            if (!editor.Table.TryFind(field, PackedPrint.Of(field), out var place))
            {
                taken.Add(default, Miss);
                continue;
            }

            taken.Add(editor.Table.ValueAt(place), score: 0);
            isAny |= _removes || place.Moment != moment;
            if (_removes)
                editor.Remove(place);
            else if (place.Moment != moment && !editor.TrySetMoment(place, moment))
                return WriteStatus.CollectionTooLong;
        }

        Count = end - from;
        return isAny ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Clear();
        int end = Math.Min(Fields.Count, from + ElementChanges.CountMax);
        int i = from;
        for (long bytes = 0; i < end && bytes < BytesMax; i++)
        {
            var field = Fields.GetKey(i);
            if (!view.TryFindField(field, out var entry) || (_removes && changes.TryFindLast(field, out _, out _)))
            {
                taken.Add(default, Miss);
                continue;
            }

            bytes += entry.ValueLength;
            taken.Add(view.ValueOf(entry), score: 0);
            if (_removes)
                changes.Drop(field);
            else if (entry.Moment != moment)
                changes.Expire(field, moment);
        }

        Count = i - from;
        return changes.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
