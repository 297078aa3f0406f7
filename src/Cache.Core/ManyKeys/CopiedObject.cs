using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>A copy of a large collection, made without a lock before it gets its key.</summary>
internal struct CopiedObject
{
    // Each may find too little room, which others took.
    private const int RoomAttemptsMax = 64;

    private ObjectStub _wanted;
    private uint _version;
    private int _roomAttempts;

    /// <summary>The copy; none once a key has it.</summary>
    public ObjectStub Stub;

    /// <summary>Whether a copy is needed, or another one.</summary>
    public bool IsWanted { get; set; }

    /// <summary>Whether it may be of a moment before the present one.</summary>
    public bool MayBeOutdated { get; set; }

    /// <summary>Whether there is a copy of a collection as it is now; the home of its key is held.</summary>
    public bool IsOf(StoreState state, ObjectStub source)
    {
        bool isCurrent = !Stub.IsNone && source == _wanted
            && (MayBeOutdated || state.Objects!.Table.ReadVersion(source.Number) == _version);
        _wanted = source;
        return isCurrent;
    }

    /// <summary>Makes the copy that was wanted; the caller holds nothing.</summary>
    /// <returns>False if there is no room.</returns>
    public bool TryMake(StoreState state, in EntryKey key)
    {
        var objects = state.Objects!;
        try
        {
            while (!objects.TryCopy(_wanted, out Stub, out _version))
            {
                if (!objects.IsCurrent(_wanted))
                    return true; // The key has something else by now.
                long bytes = (++_roomAttempts + 1) / 2 * (long)TreePages.SlabBytes;
                if (_roomAttempts > RoomAttemptsMax || !state.ShardOf(key.Hash).TryTakePageRoom(key, bytes))
                    return false;
            }

            return true;
        }
        finally // The store may have been disposed.
        {
            objects.EndPrepaid();
        }
    }
}
