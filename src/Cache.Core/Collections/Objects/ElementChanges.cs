using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>What a write makes of some elements: first planned, then recorded and made.</summary>
/// <remarks>
/// One for each thread; a write adds no more than a step's. Long values are stubs in it, of blocks that were made
/// before anything was held: a plan that meets one without a block asks for it, and is made again.
/// </remarks>
internal sealed partial class ElementChanges
{
    /// <summary>So many elements are changed in one step, under one lock: less than a tenth of a millisecond.</summary>
    public const int CountMax = 128;

    /// <summary>A step that takes long elements ends with the one that passes this: their names are copied.</summary>
    public const int LongBytesMax = 1 << 20;

    // A longer one is not kept for the next write.
    private const int KeptBytesMax = 256 << 10;
    private const int InitialBytes = 4096;

    [ThreadStatic]
    private static ElementChanges? _cached;

    // The blocks of long values, in the order in which they are put; each has a reference.
    private readonly List<ElementStub> _owned = [];

    // Behind the prefix of a whole collection, so that the changes of an empty one are one.
    private byte[] _bytes = new byte[InitialBytes];
    private int _length = ElementReader.PrefixSize;
    private int _nextOwned;
    private long _longBytes;

    // The block that was used last, and whether there is a score that is not in it.
    private ElementStub _lastUsed;
    private bool _hasScores;

    // What a journal gets of changes with long values, and the changes that it was made of.
    private LargeBlock _image;
    private byte[] _imaged = [];
    private int _imagedLength;
    private int _dropChanges;
    private bool _isOfStream;

    public int Count { get; private set; }

    /// <summary>The store's longest value.</summary>
    public int ValueLengthMax { get; private set; }

    /// <summary>The long values that have blocks.</summary>
    public int OwnedCount => _owned.Count;

    /// <summary>How many elements they remove.</summary>
    public long DropCount { get; private set; }

    /// <summary>Whether a field gets a moment at which it expires.</summary>
    public bool HasMoments { get; private set; }

    /// <summary>Why they cannot be made, whatever is done; else Done.</summary>
    public WriteStatus Refusal { get; private set; }

    /// <summary>
    /// Makes the block of a computed value while the object is held; else null. Set where values that are computed
    /// again and again had another length each time.
    /// </summary>
    public LongElements? Maker { get; set; }

    /// <summary>Whether a long value has no block yet.</summary>
    public bool NeedsBlocks { get; private set; }

    /// <summary>Whether a journal is to be told of several changes, of which one is long, and has no image.</summary>
    public bool NeedsImage { get; private set; }

    /// <summary>Whether there are long values.</summary>
    public bool HasLong => _nextOwned != 0;

    /// <summary>Whether the names that they have are so long that a step ends.</summary>
    public bool IsLong => _length >= LongBytesMax;

    /// <summary>The bytes of all changes with their long values, as files have them.</summary>
    public int ImageLength => checked((int)(_length + _longBytes));

    /// <summary>All of them, as an <see cref="ElementReader"/> reads them; long values are stubs.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(ElementReader.PrefixSize, _length - ElementReader.PrefixSize);

    // What a file has of a collection that has these elements alone.
    private ReadOnlySpan<byte> StoredBytes => _bytes.AsSpan(0, _length);

    // The only one's block is one.
    private bool IsImageOfOne => Count == 1 && !_hasScores;

    private LargeBlock Image => HasLong && IsImageOfOne ? _lastUsed.Block : _image;

    public static ElementChanges Rent(int valueLengthMax)
    {
        var changes = _cached ?? new ElementChanges();
        _cached = null;
        Debug.Assert(changes.Count == 0);
        Debug.Assert(changes._owned.Count == 0);
        changes.ValueLengthMax = valueLengthMax;
        return changes;
    }

    /// <summary>Ends the write; blocks that no tree took go.</summary>
    public void Return(LongElements? owner)
    {
        Clear();
        Maker = null;
        ReleaseBlocks(owner);
        if (_bytes.Length <= KeptBytesMax && _imaged.Length <= KeptBytesMax)
            _cached = this;
    }

    /// <summary>Gives back all blocks.</summary>
    public void ReleaseBlocks(LongElements? owner)
    {
        foreach (var stub in _owned)
            owner!.Disown(stub.Block);
        _owned.Clear();
        ReleaseImage(owner);
    }

    /// <summary>Gives back what a journal would have got.</summary>
    public void ReleaseImage(LongElements? owner)
    {
        if (!_image.IsNull)
            owner!.Disown(_image);
        _image = default;
    }

    /// <summary>Takes over the block of the next long value.</summary>
    public void Own(ElementStub stub) => _owned.Add(stub);

    /// <summary>Takes over a block, and writes into it what a journal gets.</summary>
    public void OwnImage(LargeBlock block)
    {
        Debug.Assert(_image.IsNull);
        _image = block;
        if (_imaged.Length < _length)
            _imaged = new byte[_bytes.Length];
        StoredBytes.CopyTo(_imaged);
        _imagedLength = _length;
        var to = block.Value;
        to[..ElementReader.PrefixSize].Clear();
        int at = ElementReader.PrefixSize;
        for (var each = new ElementReader(Bytes); each.TryRead();)
        {
            var value = each.IsStub ? ElementStub.Read(each.Value).Value : each.Value;
            at += Write(to[at..], each.Action, each.FullName, value);
        }

        Debug.Assert(at == block.Length);
    }

    public void Clear()
    {
        (_length, Count, DropCount, Refusal) = (ElementReader.PrefixSize, 0, 0, WriteStatus.Done);
        (_nextOwned, _longBytes, NeedsBlocks, NeedsImage, HasMoments) = (0, 0, false, false, false);
        (_dropChanges, _isOfList, _isOfStream, _hasScores, _lastUsed) = (0, false, false, false, default);
    }

    /// <summary>Plans an element.</summary>
    /// <remarks>
    /// A long value is that for which a block was made, at the same place among the long ones; an edit puts the same
    /// ones in the same order each time.
    /// </remarks>
    public void Put(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (ElementSizes.Fits(name.Length, value.Length))
            Add((int)ElementAction.Put, name, value);
        else if (TryPutLong(ElementAction.Put, name, value, out var stub))
            Debug.Assert(stub.Value.SequenceEqual(value), "An edit puts what it has prepared.");
    }

    /// <summary>
    /// The same, where each plan may compute another value: a long one is copied while the object is held.
    /// </summary>
    public void PutComputed(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (ElementSizes.Fits(name.Length, value.Length))
            Add((int)ElementAction.Put, name, value);
        else if ((Maker is null || TryMakeNext(name, value))
            && TryPutLong(ElementAction.Put, name, value, out var stub))
        {
            value.CopyTo(stub.Block.Value[^value.Length..]); // No tree has it yet.
        }
    }

    /// <summary>Plans a member of a sorted set: of a long one the name alone lies in a block.</summary>
    public void PutScore(ReadOnlySpan<byte> member, ReadOnlySpan<byte> score)
    {
        if (!LongName.Is(member))
        {
            Add((int)ElementAction.Put, member, score);
            return;
        }

        if (!TryUse(member, valueLength: 0, out var block))
            return;
        AddNamed((int)ElementAction.Put, member, score, block);
        _hasScores |= !score.IsEmpty;
    }

    /// <summary>Lets a field expire at a moment, or at 0 never, if it is there by then.</summary>
    public void Expire(ReadOnlySpan<byte> name, long moment)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, moment);
        Add((int)ElementAction.Expire, name, bytes);
        HasMoments |= moment != 0;
    }

    /// <summary>Plans that an element goes that was found in the collection, which the caller holds.</summary>
    public void Drop(scoped in ObjectView view, scoped in TreeEntry found)
    {
        if (!found.IsNameStub)
        {
            Drop(found.Name);
            return;
        }

        using var loan = view.Borrow(found);
        Drop(loan.Name);
    }

    public void Drop(ReadOnlySpan<byte> name)
    {
        Add((int)ElementAction.Drop, name, default);
        DropCount++;
        _dropChanges++;
    }

    /// <summary>Begins the changes of a stream: each plan has as many, as long as those before.</summary>
    public void BeginStream() => _isOfStream = true;

    /// <summary>Drops an element of a stream, which stays without any.</summary>
    public void DropOfStream(ReadOnlySpan<byte> name) => Add((int)ElementAction.Drop, name, default);

    /// <summary>Finds what a name was given last; of a few.</summary>
    /// <returns>False if it is not among them; one that is dropped is not looked for.</returns>
    public bool TryFindLast(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        value = default;
        bool isFound = false;
        for (var each = new ElementReader(Bytes); each.TryRead();)
        {
            if (!each.FullName.SequenceEqual(name))
                continue;
            isFound = true;
            value = each.Value;
        }

        return isFound;
    }

    /// <summary>Finds what becomes of a name at last; of a few.</summary>
    /// <returns>False if nothing does.</returns>
    public bool TryFindLast(ReadOnlySpan<byte> name, out ElementAction action, out long moment)
    {
        (action, moment) = (default, 0);
        for (var each = new ElementReader(Bytes); each.TryRead();)
        {
            if (each.FullName.SequenceEqual(name))
                (action, moment) = (each.Action, each.Moment);
        }

        return action != default;
    }

    /// <summary>Makes sure that a journal can be told; else blocks are made, and the changes planned again.</summary>
    public bool MayBeTold()
    {
        NeedsImage = HasLong && !IsImageOfOne
            && (_image.IsNull || !IsImaged(_imaged.AsSpan(0, _imagedLength)));
        if (!NeedsImage)
            CompleteImage();
        return !NeedsImage;
    }

    /// <summary>What a journal gets.</summary>
    /// <remarks>isCollection: Whether they are the whole of a new collection.</remarks>
    public ReadOnlySpan<byte> Told(bool isCollection) =>
        (HasLong ? Image.Value : StoredBytes)[(isCollection ? 0 : ElementReader.PrefixSize)..];

    /// <summary>The block with what a journal gets as its last bytes; null without long values.</summary>
    public LargeBlock ToldBlock => HasLong ? Image : default;

    /// <summary>How many different elements are dropped, where nothing is put; of a few.</summary>
    public long CountDropped()
    {
        if (_dropChanges != Count)
            return 0;
        if (_isOfList)
            return DropCount;
        int count = 0;
        var each = new ElementReader(Bytes);
        for (int i = 0; each.TryRead(); i++)
        {
            var before = new ElementReader(Bytes);
            bool isRepeated = false;
            for (int j = 0; j < i && !isRepeated && before.TryRead(); j++)
                isRepeated = before.Name.SequenceEqual(each.Name);
            count += isRepeated ? 0 : 1;
        }

        return count;
    }

    /// <summary>Writes one as it is read.</summary>
    /// <returns>The bytes that it takes.</returns>
    public static int Write(Span<byte> at, ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) =>
        Write(at, (int)action, name, value);

    /// <summary>Writes one without its value, which follows.</summary>
    public static void WriteHead(Span<byte> at, ElementAction action, ReadOnlySpan<byte> name, int valueLength) =>
        WriteHead(at, (int)action, name, valueLength);

    private static void WriteHead(Span<byte> at, int action, ReadOnlySpan<byte> name, int valueLength)
    {
        at[0] = (byte)action;
        BinaryPrimitives.WriteInt32LittleEndian(at[1..], name.Length);
        BinaryPrimitives.WriteInt32LittleEndian(at[(1 + sizeof(int))..], valueLength);
        name.CopyTo(at[ElementReader.HeaderSize..]);
    }

    private static int Write(Span<byte> at, int action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        WriteHead(at, action, name, value.Length);
        value.CopyTo(at[(ElementReader.HeaderSize + name.Length)..]);
        return ElementReader.SizeOf(name.Length, value.Length);
    }

    private bool TryMakeNext(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        bool isFree = _nextOwned < _owned.Count;
        if (!ElementSizes.IsLong(name.Length, value.Length, ValueLengthMax)
            || (isFree && _owned[_nextOwned].Length == value.Length))
        {
            return true;
        }

        if (isFree) // First: in a full store there is no room for both.
        {
            Maker!.Disown(_owned[_nextOwned].Block);
            _owned.RemoveAt(_nextOwned);
        }

        if (!Maker!.TryCreate(name, value, out var stub))
        {
            Refusal = WriteStatus.OutOfMemory; // So many attempts made room for other lengths.
            return false;
        }

        _owned.Insert(_nextOwned, stub);
        return true;
    }

    private bool TryPutLong(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, out ElementStub stub)
    {
        if (!TryUse(name, value.Length, out stub))
            return false;
        Span<byte> bytes = stackalloc byte[ElementStub.Size];
        stub.Write(bytes);
        bool isInBlock = !value.IsEmpty;
        int flag = isInBlock ? ElementReader.StubFlag : 0;
        var stored = isInBlock ? bytes : default;
        if (LongName.Is(name))
            AddNamed((int)action | flag, name, stored, stub);
        else
            Add((int)action | flag, name, stored);
        _longBytes += value.Length - stored.Length;
        return true;
    }

    // Takes the next block, or that of a name: where it was there by then, an edit has made one that it does not put.
    private bool TryUse(ReadOnlySpan<byte> name, int valueLength, out ElementStub stub)
    {
        stub = default;
        if (!ElementSizes.IsLong(name.Length, valueLength, ValueLengthMax))
        {
            Refusal = valueLength > ValueLengthMax || name.Length > ValueLengthMax
                ? WriteStatus.ValueTooLong
                : WriteStatus.CollectionTooLong;
            return false;
        }

        int index = _nextOwned;
        for (; LongName.Is(name) && index < _owned.Count; index++)
        {
            if (_owned[index].Length == valueLength && LongName.NameOf(_owned[index].Block).SequenceEqual(name))
                break;
        }

        NeedsBlocks |= index >= _owned.Count || _owned[index].Length != valueLength;
        if (NeedsBlocks)
            return false;
        stub = _lastUsed = _owned[index];
        _nextOwned = index + 1;
        return true;
    }

    // An element whose name lies in a block.
    private void AddNamed(int action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, ElementStub block)
    {
        Span<byte> digest = stackalloc byte[LongName.DigestSize];
        Span<byte> stub = stackalloc byte[ElementStub.Size];
        Span<byte> stored = stackalloc byte[LongName.DigestSize + NameStub.OverheadSize];
        LongName.Digest(name, digest);
        new ElementStub(block.Block, name.Length).Write(stub);
        NameStub.Write(stored, digest, default, stub);
        Add(action | ElementReader.NameStubFlag, stored, value);
        _longBytes += name.Length - stored.Length;
    }

    private void Add(int action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        int size = ElementReader.SizeOf(name.Length, value.Length);
        Count++;
        if (_bytes.Length - _length < size)
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, checked(_length + size)));
        _length += Write(_bytes.AsSpan(_length), action, name, value);
    }
}
