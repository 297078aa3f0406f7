using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Sets;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A key whose value is a set of members. Made by <see cref="CacheStore.SetOf"/>.</summary>
/// <remarks>
/// Nothing is read when it is made: each call looks for the key, and is atomic. An absent key is a set without members;
/// the first member makes it, and with the last one it goes. Reads take no lock, count as reads of the key, and are
/// told to a sink only when they are known to be consistent. A key with a value of another kind stays as it is: the
/// status is WrongType. A member may be as long as the value of a string.
/// <example><code>
/// SetKey online = store.SetOf("online"u8);
/// online.Add("ada"u8);
/// bool isOnline = online.Contains("ada"u8);
/// online.Remove("ada"u8);
/// </code></example>
/// </remarks>
public readonly ref struct SetKey
{
    private const int StepMax = ElementChanges.CountMax;

    private readonly CacheStore _store;
    private readonly EntryKey _key;

    internal SetKey(CacheStore store, EntryKey key)
    {
        _store = store;
        _key = key;
    }

    /// <summary>The number of members; 0 if the key is absent or of another kind.</summary>
    public long Count
    {
        get
        {
            GetCount(out long count);
            return count;
        }
    }

    /// <summary>The number of members.</summary>
    /// <param name="count">The number; 0 unless the status is Found.</param>
    public ReadStatus GetCount(out long count)
    {
        var query = new PlaceQuery(PackedShape.Set, default, mayFind: false);
        var status = Query(ref query);
        count = status == ReadStatus.Found ? query.Count : 0;
        return status;
    }

    /// <summary>Whether there is a member.</summary>
    public bool Contains(ReadOnlySpan<byte> member) => Find(member) == ReadStatus.Found;

    /// <summary>Looks for a member.</summary>
    /// <returns>Found; NotFound if the key or the member is absent; or WrongType.</returns>
    public ReadStatus Find(ReadOnlySpan<byte> member)
    {
        var query = new PlaceQuery(PackedShape.Set, member);
        var status = Query(ref query);
        return status == ReadStatus.Found && !query.IsFound ? ReadStatus.NotFound : status;
    }

    /// <summary>Looks for several members, as of one moment.</summary>
    /// <param name="members">The members.</param>
    /// <param name="found">Receives for each whether it is there; nothing if the key is of another kind.</param>
    /// <returns>NotFound if the key is absent: then no member is there.</returns>
    public ReadStatus FindMany<TMembers>(ref TMembers members, Span<bool> found)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Set, out var status);
        if (status == ReadStatus.WrongType)
            return status;
        if (copy.IsObject)
        {
            for (int i = 0; i < members.Count; i++)
                found[i] = copy.View.TryFindName(members.GetKey(i), out _);
            _store.State.ThrowIfDisposed();
            return status;
        }

        if (members.Count > NameTable.CountMin)
        {
            FindTable(copy.Table, ref members, found);
            return status;
        }

        for (int i = 0; i < members.Count; i++)
        {
            var member = members.GetKey(i);
            found[i] = copy.Table.TryFind(member, PackedPrint.Of(member), out _);
        }

        return status;
    }

    /// <summary>Copies all members into the sink, as of one moment.</summary>
    /// <remarks>Integers alone are told in ascending order; else the order means nothing.</remarks>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetAll<TSink>(ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Set, out var status);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
        {
            var members = new MembersAlone<TSink>(sink);
            members.Begin(copy.View.Count);
            MemberView.TellAll(_store.State, copy.View, ref members);
            sink = members.Sink;
            return status;
        }

        Tell(copy.Table, ref sink);
        return status;
    }

    /// <summary>Begins to read all members of a large set in parts, as of one moment.</summary>
    /// <remarks>Counts as a read of the key. What others write meanwhile is not told.</remarks>
    /// <returns>Null where it is short, of at most 4 KB, or absent, or of another kind: read it at once.</returns>
    public CollectionReading? Read()
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Set, out _);
        return copy.IsObject && copy.TryDetach(out var stub, out uint snapshot)
            ? new CollectionReading(_store.State, stub, snapshot, copy.View, 0, copy.View.Count, isReversed: false)
            : null;
    }

    /// <summary>Continues a scan of the members, in steps that hold nothing in between.</summary>
    /// <remarks>
    /// A member that is there from beginning to end is returned, perhaps more than once; one that comes or goes
    /// meanwhile may be.
    /// </remarks>
    /// <param name="cursor">0, or what the last step wrote there; 0 again at the end.</param>
    /// <param name="count">About how many members to take; a small set gives all of them.</param>
    /// <param name="sink">Receives the members.</param>
    public ReadStatus Scan<TSink>(ref ulong cursor, int count, ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Set, out var status);
        if (status == ReadStatus.Found && copy.IsObject)
        {
            var members = new MembersAlone<TSink>(sink);
            cursor = MemberView.TellFrom(_store.State, copy.View, cursor, count, ref members);
            sink = members.Sink;
            return status;
        }

        cursor = 0;
        if (status == ReadStatus.Found)
            Tell(copy.Table, ref sink); // All of it, whatever the cursor, as Redis does.
        return status;
    }

    /// <summary>Copies a member at random into the sink.</summary>
    public ReadStatus GetRandom<TSink>(ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var query = new RandomElementQuery<TSink>(PackedShape.Set, sink);
        var status = Query(ref query);
        sink = query.Sink;
        if (status != ReadStatus.Found)
            return status;
        if (!query.IsFound)
            return ReadStatus.NotFound;
        if (query.IsLong)
            return MemberView.CopyRandom(_store.State, _key, EntryKind.Set, ref sink);
        sink.Advance(query.Length);
        return status;
    }

    /// <summary>Copies members at random into the sink, as of one moment.</summary>
    /// <param name="count">How many; of different ones no more than there are.</param>
    /// <param name="mayRepeat">Whether a member may be taken more than once.</param>
    /// <param name="sink">Receives the members.</param>
    public ReadStatus GetRandom<TSink>(long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Set, out var status);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
        {
            var members = new MembersAlone<TSink>(sink);
            MemberView.TellRandom(_store.State, copy.View, count, mayRepeat, ref members);
            sink = members.Sink;
            return status;
        }

        var chosen = new RandomElements(copy.Table, count, mayRepeat);
        sink.Begin(chosen.Count);
        while (!sink.IsFull && chosen.TryMoveNext(out var place))
            sink.Take(copy.Table.NameAt(place));
        return status;
    }

    /// <summary>Adds a member. The key's expiry stays.</summary>
    /// <returns>ConditionNotMet if it was there.</returns>
    public WriteStatus Add(ReadOnlySpan<byte> member)
    {
        var edit = new AddMembersEdit<OneName>(new OneName(member), _store.State.EncodingLimits.SetIntegers);
        var status = Write(ref edit);
        return status == WriteStatus.Done && edit.Added == 0 ? WriteStatus.ConditionNotMet : status;
    }

    /// <summary>Adds several members: of at most 128 all or none, of more in steps of as many.</summary>
    /// <remarks>
    /// Others may see the first steps before the last; where one of them fails, those before it stay, and no other
    /// key waits for a long write.
    /// </remarks>
    /// <param name="members">The members.</param>
    /// <param name="added">The number of those that were absent.</param>
    public WriteStatus AddMany<TMembers>(ref TMembers members, out int added)
        where TMembers : struct, IKeySource, allows ref struct
    {
        added = 0;
        var status = WriteStatus.Done;
        for (int from = 0; (from < members.Count || from == 0) && status == WriteStatus.Done; from += StepMax)
        {
            var step = new KeySlice<TMembers>(members, from, Math.Min(members.Count - from, StepMax));
            status = AddStep(ref step, out int more);
            members = step.Names;
            added += more;
        }

        return status;
    }

    /// <summary>Removes a member.</summary>
    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(ReadOnlySpan<byte> member)
    {
        var edit = new RemoveNamesEdit<OneName>(EntryKind.Set, new OneName(member), from: 0, count: 1);
        return Write(ref edit);
    }

    /// <summary>Removes several members, in steps of at most 128.</summary>
    /// <param name="members">The members.</param>
    /// <param name="removed">The number of those that were there.</param>
    /// <returns>NotFound if none was.</returns>
    public WriteStatus RemoveMany<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        removed = 0;
        for (int from = 0; from < members.Count || from == 0; from += StepMax)
        {
            var step = new KeySlice<TMembers>(members, from, Math.Min(members.Count - from, StepMax));
            var status = RemoveStep(ref step, out int more);
            members = step.Names;
            removed += more;
            if (status is not (WriteStatus.Done or WriteStatus.NotFound))
                return status;
        }

        return removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    /// <summary>Removes members at random, and tells the sink which, once they are removed.</summary>
    /// <remarks>
    /// More than 128 members of a set of more than 4 KB are removed in steps of as many; they end where those that are
    /// told would take an eighth of the store's limit.
    /// </remarks>
    /// <param name="count">How many; no more than there are. 0 removes none.</param>
    /// <param name="sink">Receives the members, if the status is Done.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Pop<TSink>(long count, ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        using var taken = TakenMembers.Rent();
        var status = PopSteps(count, taken);
        if (status != WriteStatus.Done && taken.Count == 0)
            return status;
        sink.Begin(taken.Count);
        for (int position = 0; !sink.IsFull && taken.TryMoveNext(ref position, out var member, out _);)
            sink.Take(member);
        return WriteStatus.Done;
    }

    private static void Tell<TSink>(in PackedTable table, ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        sink.Begin(table.Count);
        for (var place = PackedTable.BeforeFirst; !sink.IsFull && table.TryMoveNext(ref place);)
            sink.Take(table.NameAt(place));
    }

    private void FindTable<TMembers>(in PackedTable present, ref TMembers members, Span<bool> found)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref members);
        found[..members.Count].Clear();
        for (var place = PackedTable.BeforeFirst; present.TryMoveNext(ref place);)
        {
            int index = table.Find(ref members, present.NameAt(place));
            if (index >= 0)
                found[index] = true;
        }

        for (int i = 0; i < members.Count; i++)
            found[i] = found[table.FirstOf(i)];
    }

    // What others add meanwhile is not removed: it ends. Where a step is refused, those before it are told.
    private WriteStatus PopSteps(long count, TakenMembers taken)
    {
        long left = count;
        WriteStatus status;
        do
        {
            var before = taken.End;
            var edit = new PopMembersEdit(left, _store.State.EncodingLimits.SetIntegers, taken);
            status = Write(ref edit);
            if (status != WriteStatus.Done)
                taken.Truncate(before); // They were only planned.
            left = Math.Min(left, edit.Present) - (taken.Count - before.Count);
        }
        while (status == WriteStatus.Done && left > 0 && taken.Bytes < _store.TakenMembersMax);
        return status;
    }

    // At most a step's.
    private WriteStatus AddStep<TMembers>(ref TMembers members, out int added)
        where TMembers : struct, IKeySource, allows ref struct
    {
        if (members.Count > NameTable.CountMin)
            return AddTable(ref members, out added);
        var edit = new AddMembersEdit<TMembers>(members, _store.State.EncodingLimits.SetIntegers);
        var status = Write(ref edit);
        members = edit.Members;
        added = status == WriteStatus.Done ? edit.Added : 0;
        return status;
    }

    private WriteStatus AddTable<TMembers>(ref TMembers members, out int added)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref members);
        var edit = new AddManyMembersEdit<TMembers>(members, table, _store.State.EncodingLimits.SetIntegers);
        var status = Write(ref edit);
        members = edit.Members;
        added = status == WriteStatus.Done ? edit.Added : 0;
        return status;
    }

    private WriteStatus RemoveStep<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        if (members.Count > NameTable.CountMin)
            return RemoveTable(ref members, out removed);
        var edit = new RemoveNamesEdit<TMembers>(EntryKind.Set, members, from: 0, members.Count);
        var status = Write(ref edit);
        members = edit.Names;
        removed = status == WriteStatus.Done ? edit.Removed : 0;
        return status;
    }

    private WriteStatus RemoveTable<TMembers>(ref TMembers members, out int removed)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref members);
        var edit = new RemoveManyNamesEdit<TMembers>(EntryKind.Set, members, table);
        var status = Write(ref edit);
        members = edit.Names;
        removed = status == WriteStatus.Done ? edit.Removed : 0;
        return status;
    }

    private ReadStatus Query<TQuery>(ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct =>
        _store.State.ShardOf(_key.Hash).QueryAny(_key, EntryKind.Set, ref query);

    private WriteStatus Write<TEdit>(ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct =>
        _store.Counted(ObjectWriter.Write(_store.State, _key, ref edit));
}
