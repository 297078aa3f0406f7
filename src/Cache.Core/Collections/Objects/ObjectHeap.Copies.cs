using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <content>Copies of whole collections, and their end.</content>
internal sealed partial class ObjectHeap
{
    /// <summary>Makes a copy of a collection as it is now.</summary>
    /// <param name="stub">The collection.</param>
    /// <param name="copy">The copy, which nothing refers to yet.</param>
    /// <param name="version">The version that was copied.</param>
    /// <returns>False if the object is another's by now, or there is no room.</returns>
    public bool TryCopy(ObjectStub stub, out ObjectStub copy, out uint version)
    {
        copy = default;
        version = ObjectTable.Unheld(SettledVersionOf(stub.Number));
        if (!TryTakeSnapshot(stub, out var view, out uint snapshot))
            return false;
        try
        {
            if (!TryCreate(Table[stub.Number].Kind, out copy))
                return false;
            uint held = Hold(copy.Number); // From the disposal.
            Table[copy.Number].IsConverted = view.IsConverted;
            bool isBuilt = TryBuild(view, copy.Number);
            Table.LetGo(copy.Number, held, isChanged: true);
            if (isBuilt)
                return true;
            Discard(copy);
            copy = default;
            return false;
        }
        finally
        {
            EndSnapshot(stub, snapshot);
        }
    }

    // Long values are shared: the copy's stubs have references of their own.
    private bool TryBuild(in ObjectView view, uint number)
    {
        ref var info = ref Table[number];
        return view.Kind switch
        {
            EntryKind.Hash => TryBuild(view.First<ByHashWithValue>(), view.Count, number, ref info.First)
                && TryBuild(view.Second<ByScore>(), view.TimedCount, number, ref info.Second),
            EntryKind.Set => TryBuild(view.First<ByHash>(), view.Count, number, ref info.First),
            EntryKind.SortedSet => TryBuild(view.First<ByHashWithValue>(), view.Count, number, ref info.First)
                && TryBuild(view.Second<ByScore>(), view.Count, number, ref info.Second),
            EntryKind.Stream => TryBuild(view.First<ByNumber>(), view.Count, number, ref info.First)
                && TryBuild(view.Second<ByNumber>(), view.SecondCount, number, ref info.Second),
            _ => TryBuild(view.First<ByPosition>(), view.Count, number, ref info.First),
        };
    }

    private bool TryBuild<TOrder>(TreeReader<TOrder> from, uint count, uint number, ref TreeRoot root)
        where TOrder : struct, ITreeOrder
    {
        if (count == 0)
            return true;
        var builder = new TreeBuilder<TOrder>(Pages, number);
        var cursor = from.At(0);
        for (uint i = 0; i < count && cursor.IsValid; i++, cursor.MoveNext())
        {
            var entry = cursor.Entry;
            LongElements.AddReferences(entry);
            if (builder.TryAdd(cursor.Key, entry))
                continue;
            LongElements.ReleaseAll(entry);
            builder.Abandon(Graveyard);
            return false;
        }

        builder.Finish(ref root);
        return true;
    }

    private void BuryTrees(ref ObjectInfo info)
    {
        switch (info.Kind)
        {
            case EntryKind.Set:
                Graveyard.Bury<ByHash>(ref info.First);
                break;
            case EntryKind.Hash or EntryKind.SortedSet:
                Graveyard.Bury<ByHashWithValue>(ref info.First);
                Graveyard.Bury<ByScore>(ref info.Second);
                break;
            case EntryKind.Stream:
                Graveyard.Bury<ByNumber>(ref info.First);
                Graveyard.Bury<ByNumber>(ref info.Second);
                break;
            default:
                Graveyard.Bury<ByPosition>(ref info.First);
                break;
        }
    }
}
