using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Makes changes of elements in the trees of an object: all of them, or none.</summary>
/// <remarks>
/// The caller holds the object. Where a page is refused, what was made is undone; that may overdraw the budget.
/// </remarks>
internal ref struct ElementWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    // Of a former element: what it was, the lengths of its value and of the stub of its name, and when it would have
    // expired.
    private const int MomentAt = 1 + 2 * sizeof(int);
    private const int FormerHeaderSize = MomentAt + sizeof(long);

    private readonly ref ObjectInfo _info = ref info;

    public int Added { get; private set; }

    public int Removed { get; private set; }

    /// <summary>Whether anything was changed.</summary>
    public readonly bool IsChanged => _isChanged;

    /// <summary>Whether no page helps: members of one score that begin alike are too many in one place.</summary>
    public bool IsRefused { get; private set; }

    private bool _isChanged;

    /// <returns>False if there was no page for one of them: nothing is changed.</returns>
    public bool TryMake(ReadOnlySpan<byte> changes, int count)
    {
        if (_info.Kind == EntryKind.List)
            return TryMakeList(changes);
        if (count == 1)
        {
            var one = new ElementReader(changes);
            one.TryRead();
            return TryMake(one);
        }

        if (_info.Kind == EntryKind.Stream && count == 2 && TryAppend(changes, out bool isAppended))
            return isAppended;
        bool wasConverted = _info.IsConverted;
        byte[] former = ArrayPool<byte>.Shared.Rent(count * (TreeEntry.LengthMax + FormerHeaderSize));
        try
        {
            bool isMade = TryMakeAll(changes, former);
            _info.IsConverted = isMade ? _info.IsConverted : wasConverted;
            return isMade;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(former);
        }
    }

    /// <summary>Makes one.</summary>
    public bool TryMake(in ElementReader element) =>
        TryMake(element.Action, element.Name, element.Value, element.IsStub, element.IsNameStub);

    /// <summary>Makes one.</summary>
    public bool TryMake(
        ElementAction action, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value, bool isStub = false,
        bool isNameStub = false)
    {
        if (_info.Kind == EntryKind.List)
            return TryMakeInList(action, new ListChange(name, value), isStub);
        if (LongName.Is(name))
            return TryMakeLong(action, name, value);
        var change = _info.Kind == EntryKind.Hash
            ? MakeField(action, new TreeName(name, isNameStub), value, isStub, moment: 0)
            : Make(action, new TreeName(name, isNameStub), value, isStub);
        Added += change == TreeChange.Added ? 1 : 0;
        Removed += change == TreeChange.Removed ? 1 : 0;
        _isChanged |= change is not (TreeChange.None or TreeChange.NoRoom);
        bool mayConvert = action == ElementAction.Put && _info.Kind != EntryKind.Stream;
        if (mayConvert && change != TreeChange.NoRoom && !_info.IsConverted)
            _info.IsConverted = !IsCompact(name, value, isStub | isNameStub);
        return change != TreeChange.NoRoom;
    }

    // Whether Redis would keep its compact encoding with an element that was put.
    private readonly bool IsCompact(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value, bool isLong)
    {
        var limits = heap.EncodingLimits();
        return !isLong && _info.Kind switch
        {
            EntryKind.Hash => _info.First.Count <= limits.HashFields
                && Math.Max(name.Length, value.Length) <= limits.HashFieldLength,
            EntryKind.Set => _info.First.Count <= limits.SetIntegers && IsInteger(name),
            _ => _info.First.Count <= limits.SortedSetMembers && name.Length <= limits.SortedSetMemberLength,
        };
    }

    // As Redis writes one: no other text means the same.
    private static bool IsInteger(scoped ReadOnlySpan<byte> member)
    {
        Span<byte> text = stackalloc byte[20];
        return Utf8Parser.TryParse(member, out long number, out _)
            && Utf8Formatter.TryFormat(number, text, out int length) && member.SequenceEqual(text[..length]);
    }

    // What is put has a block.
    private bool TryMakeLong(
        ElementAction action, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        Debug.Assert(action is ElementAction.Drop or ElementAction.Expire);
        Span<byte> digest = stackalloc byte[LongName.DigestSize];
        LongName.Digest(name, digest);
        return TryMake(action, digest, value);
    }

    private bool TryMakeList(ReadOnlySpan<byte> changes)
    {
        scoped var writer = new ListWriter(heap, ref _info, number);
        bool isMade = writer.TryMake(changes);
        (Added, Removed, _isChanged) = (Added + writer.Added, Removed + writer.Removed, writer.IsChanged);
        return isMade;
    }

    private bool TryMakeInList(ElementAction action, scoped ListChange change, bool isStub)
    {
        scoped var writer = new ListWriter(heap, ref _info, number);
        bool isMade = writer.TryMake(action, change, isStub);
        (Added, Removed, _isChanged) = (Added + writer.Added, Removed + writer.Removed, writer.IsChanged);
        return isMade;
    }

    // An entry of a stream, and then its header, where that lies: no page is refused for it, and so nothing is undone.
    private bool TryAppend(ReadOnlySpan<byte> changes, out bool isMade)
    {
        isMade = false;
        var reader = new ElementReader(changes);
        reader.TryRead();
        var entry = reader;
        reader.TryRead();
        if (entry.Action != ElementAction.Put || entry.Name[0] != StreamElement.Entry
            || reader.Action != ElementAction.Put || reader.Name[0] != StreamElement.Header
            || !StreamTreeWriter.TryFindHeader(heap, in _info, out var header))
        {
            return false;
        }

        isMade = TryMake(entry);
        Debug.Assert(
            header.Key == StreamElement.KeyOf(StreamElement.Header, 0), "An entry changes the tree of blocks alone.");
        if (isMade)
            header.Overwrite(new TreeEntry(default, reader.Value));
        return true;
    }

    private bool TryMakeAll(ReadOnlySpan<byte> changes, Span<byte> former)
    {
        var reader = new ElementReader(changes);
        int made = 0, length = 0;
        while (reader.TryRead())
        {
            int before = KeepFormer(reader, former[length..]);
            if (!TryMake(reader))
            {
                ForgetFormer(former.Slice(length, before));
                Undo(changes, former, made);
                return false;
            }

            length += before;
            made++;
        }

        for (int at = 0; at < length; at += FormerSize(former[at..]))
            ForgetFormer(former[at..]);
        return true;
    }

    // What a kind has of its own: how a change is made in its trees. Without a page for it, nothing is changed.
    private TreeChange Make(
        ElementAction action, scoped TreeName name, scoped ReadOnlySpan<byte> value, bool isStub) =>
        _info.Kind switch
        {
            EntryKind.Set => MakeMember(action, name),
            EntryKind.SortedSet => MakeScored(action, name, value),
            EntryKind.Stream => MakeOfStream(action, name.Bytes, value, isStub),
            _ => throw new NotSupportedException("A list has a writer of its own."),
        };

    private readonly TreeChange MakeMember(ElementAction action, scoped TreeName name)
    {
        uint hash = heap.HashOf(name.Ordered);
        return action == ElementAction.Put
            ? heap.Set<ByHash>(ref _info.First, ref _info.Epochs, number, hash, name.With(default))
            : new TreeWriter<ByHash>(heap.Pages, ref _info.First, ref _info.Epochs, number).Remove(hash, name.Ordered);
    }

    private TreeChange MakeField(
        ElementAction action, scoped TreeName name, scoped ReadOnlySpan<byte> value, bool isStub, long moment)
    {
        scoped var writer = new FieldWriter(heap, ref _info, number);
        var change = action switch
        {
            ElementAction.Put => writer.Put(name, value, isStub, moment),
            ElementAction.Expire => writer.Expire(name.Ordered, BinaryPrimitives.ReadInt64LittleEndian(value)),
            _ => writer.Drop(name.Ordered),
        };
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        return change;
    }

    private static ReadOnlySpan<byte> FormerValue(ReadOnlySpan<byte> former) =>
        former.Slice(FormerHeaderSize, BitConverter.ToInt32(former[1..]));

    private static ReadOnlySpan<byte> FormerName(ReadOnlySpan<byte> former) => former.Slice(
        FormerHeaderSize + BitConverter.ToInt32(former[1..]), BitConverter.ToInt32(former[(1 + sizeof(int))..]));

    private static int FormerSize(ReadOnlySpan<byte> former) =>
        FormerHeaderSize + FormerValue(former).Length + FormerName(former).Length;

    // A reference was taken for what may be made again.
    private readonly void ForgetFormer(ReadOnlySpan<byte> former)
    {
        if ((former[0] & ElementReader.StubFlag) != 0)
            heap.LongElements.Release(FormerValue(former));
        if ((former[0] & ElementReader.NameStubFlag) != 0)
            heap.LongElements.Release(ElementStub.EndOf(FormerName(former)));
    }

    private TreeChange MakeScored(ElementAction action, scoped TreeName member, scoped ReadOnlySpan<byte> score)
    {
        scoped var writer = new ScoredWriter(heap, ref _info, number);
        var change = action == ElementAction.Put ? writer.Put(member, score) : writer.Drop(member.Ordered);
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        IsRefused |= writer.IsRefused;
        return change;
    }

    private TreeChange MakeOfStream(
        ElementAction action, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value, bool isStub)
    {
        scoped var writer = new StreamTreeWriter(heap, ref _info, number);
        var change = action == ElementAction.Put ? writer.Put(name, value, isStub) : writer.Drop(name);
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        return change;
    }

    // What an element was, to be made again. Of one that was not there: nothing, which is removed then.
    private readonly int KeepFormer(in ElementReader element, Span<byte> at)
    {
        Span<byte> digest = stackalloc byte[LongName.DigestSize];
        bool exists = heap.ViewOf(_info).TryFindOrdered(OrderedOf(element, digest), out var entry);
        at[0] = exists ? (byte)ElementAction.Put : (byte)ElementAction.Drop;
        var name = exists && entry.IsNameStub ? entry.Name : default;
        var value = exists ? entry.Value : default;
        BitConverter.TryWriteBytes(at[1..], value.Length);
        BitConverter.TryWriteBytes(at[(1 + sizeof(int))..], name.Length);
        BitConverter.TryWriteBytes(at[MomentAt..], exists ? entry.Moment : 0);
        value.CopyTo(at[FormerHeaderSize..]);
        name.CopyTo(at[(FormerHeaderSize + value.Length)..]);
        if (exists && entry.IsValueStub)
        {
            at[0] |= ElementReader.StubFlag;
            heap.LongElements.AddReference(value);
        }

        if (!name.IsEmpty)
        {
            at[0] |= ElementReader.NameStubFlag;
            heap.LongElements.AddReference(ElementStub.EndOf(name));
        }

        return FormerHeaderSize + value.Length + name.Length;
    }

    private static ReadOnlySpan<byte> OrderedOf(in ElementReader element, Span<byte> digest)
    {
        if (element.IsNameStub)
            return NameStub.OrderedPartOf(element.Name);
        if (!LongName.Is(element.Name))
            return element.Name;
        LongName.Digest(element.Name, digest);
        return digest;
    }

    // From the last one back, since one element may have been changed twice.
    private void Undo(ReadOnlySpan<byte> changes, ReadOnlySpan<byte> former, int count)
    {
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            for (int last = count - 1; last >= 0; last--)
                UndoOne(changes, former, last);
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }

        (Added, Removed, _isChanged) = (0, 0, true); // Readers may have been between: another version.
    }

    private void UndoOne(ReadOnlySpan<byte> changes, ReadOnlySpan<byte> former, int index)
    {
        var reader = new ElementReader(changes);
        int at = 0;
        for (int i = 0; reader.TryRead() && i < index; i++)
            at += FormerSize(former[at..]);
        former = former[at..];
        Span<byte> digest = stackalloc byte[LongName.DigestSize];
        bool hasNameStub = (former[0] & ElementReader.NameStubFlag) != 0;
        var name = hasNameStub
            ? new TreeName(FormerName(former), isStub: true)
            : new TreeName(OrderedOf(reader, digest), isStub: false);
        bool wasStub = (former[0] & ElementReader.StubFlag) != 0;
        var action = (ElementAction)(former[0] & ~(ElementReader.StubFlag | ElementReader.NameStubFlag));
        var change = _info.Kind == EntryKind.Hash
            ? MakeField(action, name, FormerValue(former), wasStub, BitConverter.ToInt64(former[MomentAt..]))
            : Make(action, name, FormerValue(former), wasStub);
        ForgetFormer(former);
        if (change == TreeChange.NoRoom)
            ThrowNotUndone();
    }

    internal static void ThrowNotUndone() =>
        throw new InvalidOperationException("A write cannot be undone: there are no addresses for its pages.");
}
