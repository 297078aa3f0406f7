using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>
/// What is made of a large collection without a lock before its key is copied or renamed: the copy, and what a journal
/// gets, of the copy or of what is renamed.
/// </summary>
internal struct CopiedObject
{
    // Each may find too little room, which others took.
    private const int RoomAttemptsMax = 64;

    // Each may be outdated when the keys are locked; then it is made while they are, if it is short enough.
    private const int ImageAttemptsMax = 32;

    private ObjectStub _wanted;
    private uint _version;
    private int _roomAttempts;
    private int _imageAttempts;
    private bool _needsCopy;
    private bool _needsImage;
    private ObjectImage _image;

    /// <summary>The copy; none once a key has it.</summary>
    public ObjectStub Stub;

    /// <summary>Whether something is needed, or another one.</summary>
    public bool IsWanted { get; set; }

    /// <summary>
    /// Whether it may be of a moment before the present one; of what is renamed, whether what a journal gets may be
    /// made while the keys are held.
    /// </summary>
    public bool MayBeOutdated { get; set; }

    /// <summary>What a journal gets; none without one.</summary>
    public readonly ObjectImage Image => _image;

    /// <summary>Whether all is there, of a collection as it is now; the homes of its keys are held.</summary>
    /// <param name="state">The store.</param>
    /// <param name="source">The collection.</param>
    /// <param name="isCopied">Whether it stays where it is.</param>
    /// <param name="isRecorded">Whether a journal is told.</param>
    public bool IsReady(StoreState state, ObjectStub source, bool isCopied, bool isRecorded)
    {
        bool isReady = (!isCopied || IsCopyOf(state, source))
            && (!isRecorded || IsImageOf(state, isCopied ? Stub : source, isHeld: !isCopied));
        (_wanted, _needsCopy, _needsImage) = (source, isCopied, isRecorded);
        return isReady;
    }

    private readonly bool IsCopyOf(StoreState state, ObjectStub source) => !Stub.IsNone && source == _wanted
        && (MayBeOutdated || ObjectTable.Unheld(state.Objects!.SettledVersionOf(source.Number)) == _version);

    private bool IsImageOf(StoreState state, ObjectStub collection, bool isHeld) =>
        _image.IsOf(state.Objects!, collection)
        || (isHeld && MayBeOutdated && _image.TryRenewHeld(state.Objects!, collection));

    /// <summary>Makes what was wanted; the caller holds nothing.</summary>
    /// <returns>Done, also where the key has something else by now; or why it cannot be made.</returns>
    public WriteStatus Make(StoreState state, in EntryKey key)
    {
        try
        {
            var status = _needsCopy ? MakeCopy(state, key) : WriteStatus.Done;
            return status == WriteStatus.Done && _needsImage ? MakeImage(state, key) : status;
        }
        finally // The store may have been disposed.
        {
            state.Objects!.EndPrepaid();
        }
    }

    /// <summary>Gives back the copy, if no key has it.</summary>
    public void DiscardCopy(StoreState state)
    {
        if (!Stub.IsNone)
            state.Objects!.Discard(Stub);
        Stub = default;
    }

    /// <summary>Gives back what a journal has not borrowed.</summary>
    public void ReleaseImage(StoreState state) => _image.Release(state.Objects);

    private WriteStatus MakeCopy(StoreState state, in EntryKey key)
    {
        var objects = state.Objects!;
        while (!objects.TryCopy(_wanted, out Stub, out _version))
        {
            if (!objects.IsCurrent(_wanted))
                break;
            long bytes = (++_roomAttempts + 1) / 2 * (long)TreePages.SlabBytes;
            if (_roomAttempts > RoomAttemptsMax || !state.ShardOf(key.Hash).TryTakePageRoom(key, bytes))
                return WriteStatus.OutOfMemory;
        }

        return WriteStatus.Done;
    }

    private WriteStatus MakeImage(StoreState state, in EntryKey key)
    {
        var objects = state.Objects!;
        var of = _needsCopy ? Stub : _wanted;
        if (of.IsNone)
            return WriteStatus.Done;
        if (++_imageAttempts > ImageAttemptsMax)
            return WriteStatus.CollectionTooLong;
        while (!_image.TryMake(objects, of, hasSlack: !_needsCopy, out long missingBytes))
        {
            if (!objects.IsCurrent(of))
                break;
            if (missingBytes == 0)
                return WriteStatus.CollectionTooLong;
            if (++_roomAttempts > RoomAttemptsMax || !state.ShardOf(key.Hash).TryTakePageRoom(key, missingBytes))
                return WriteStatus.OutOfMemory;
        }

        return WriteStatus.Done;
    }
}
