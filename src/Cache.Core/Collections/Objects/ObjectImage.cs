using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>
/// A whole large collection as files have it, in a block that a journal borrows. It is made before anything is locked,
/// and is good for as long as the collection has the same version. Release it.
/// </summary>
internal struct ObjectImage
{
    // One that is made while the homes of keys are held takes no more: some milliseconds.
    private const int HeldLengthMax = 16 << 20;

    // What a collection that is written all the time may grow by until its image is made again.
    private const int SlackMin = 64 << 10;
    private const int SlackShift = 3;

    private ObjectStub _of;
    private uint _version;
    private LargeBlock _block;

    /// <summary>The bytes of the image: the last ones of its block.</summary>
    public int Length { get; private set; }

    public readonly bool IsNone => _block.IsNull;

    public readonly LargeBlock Block => _block;

    /// <summary>The image.</summary>
    public readonly ReadOnlySpan<byte> Bytes => IsNone ? default : _block.Value[^Length..];

    /// <summary>
    /// Whether it is what a collection has now; the caller holds the home of its key, or nobody has it.
    /// </summary>
    public readonly bool IsOf(ObjectHeap objects, ObjectStub collection) =>
        !IsNone && collection == _of
        && ObjectTable.Unheld(objects.SettledVersionOf(collection.Number)) == _version;

    /// <summary>Makes it of a snapshot; the caller holds nothing.</summary>
    /// <param name="objects">The heap.</param>
    /// <param name="of">The collection.</param>
    /// <param name="hasSlack">Whether a longer one may take its place, see <see cref="TryRenewHeld"/>.</param>
    /// <param name="missingBytes">What there must be room for; 0 where no room helps.</param>
    /// <returns>False if there is no room, or the object is another's by now.</returns>
    public bool TryMake(ObjectHeap objects, ObjectStub of, bool hasSlack, out long missingBytes)
    {
        Release(objects);
        missingBytes = TreePages.SlabLength;
        uint version = ObjectTable.Unheld(objects.SettledVersionOf(of.Number));
        if (!objects.TryTakeSnapshot(of, out var view, out uint snapshot))
            return false;
        try
        {
            long length = StoredObject.LengthOf(view);
            long room = hasSlack ? length + Math.Max(SlackMin, length >> SlackShift) : length;
            missingBytes = 0;
            if (room > Array.MaxLength)
                return false;
            missingBytes = objects.LongElements.BytesFor((int)room);
            if (!objects.LongElements.TryCreate((int)room, out _block))
                return false;
            (_of, _version, Length) = (of, version, (int)length);
            StoredObject.Write(view, _block.Value[^Length..]);
            return true;
        }
        finally
        {
            objects.EndSnapshot(of, snapshot);
        }
    }

    /// <summary>
    /// Makes it anew of what the collection is now, where others have written it each time that it was made; the caller
    /// holds the home of its key.
    /// </summary>
    /// <returns>False if it is too long for that.</returns>
    public bool TryRenewHeld(ObjectHeap objects, ObjectStub of)
    {
        if (IsNone)
            return false;
        uint version = objects.Hold(of.Number, mayChange: false);
        try
        {
            var view = objects.ViewOf(of.Number);
            long length = StoredObject.LengthOf(view);
            if (length > Math.Min(_block.Length, HeldLengthMax))
                return false;
            (_of, _version, Length) = (of, version, (int)length);
            StoredObject.Write(view, _block.Value[^Length..]);
            return true;
        }
        finally
        {
            objects.Table.LetGo(of.Number, version, isChanged: false);
        }
    }

    /// <summary>Gives the block back, which a journal may have borrowed.</summary>
    public void Release(ObjectHeap? objects)
    {
        if (!_block.IsNull)
            objects!.LongElements.Disown(_block);
        this = default;
    }
}
