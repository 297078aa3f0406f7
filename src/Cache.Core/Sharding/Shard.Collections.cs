using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Keys that have collections: small ones in their records, or the stubs of large ones.</summary>
internal sealed partial class Shard
{
    // The version of an object that shows in a stamp: without the bits of its holder.
    private const int ObjectVersionShift = 2;
    private const uint ObjectVersionMask = (1U << (64 - EntryVersion.ObjectShift)) - 1;

    // A packed collection without elements, with a flag.
    private static ReadOnlySpan<byte> ConvertedAlone => [0, PackedTable.ConvertedFlag >> 8];

    /// <summary>Whether the active segment may be full, and others would have to go for another one.</summary>
    public bool WouldEvictFor(in EntryKey key, int valueLength, in RecordExpiry expiry)
    {
        long size = Record.SizeOf(key.Bytes.Length, valueLength, expiry);
        return !_state.Budget.HasRoomFor(_log.ActiveBytesFor((int)size) + _log.SpareBytes);
    }

    /// <summary>Lets a query read the collection of a key, and counts that as a read.</summary>
    /// <returns>WrongType if the key's value is of another kind: the query was not asked.</returns>
    public ReadStatus Query<TQuery>(in EntryKey key, EntryKind kind, ref TQuery query)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        var status = QueryUncounted(key, kind, ref query, out var snapshot);
        Note(key, snapshot, status);
        return status;
    }

    /// <summary>The same, but counts and renews nothing.</summary>
    public ReadStatus QueryUncounted<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        if (key.Locks is not null)
            return QueryLocked(key, kind, ref query, out snapshot);
        var wait = default(SpinWait);
        for (int attempts = 0; attempts < ReadAttemptsMax; attempts++)
        {
            if (QueryOnce(key, kind, ref query, out snapshot) is { } status)
                return status;
            WaitForWriter(snapshot, ref wait);
        }

        return QueryLocked(key, kind, ref query, out snapshot);
    }

    /// <returns>Null if a writer was there: try again.</returns>
    private ReadStatus? QueryOnce<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        if (FindCollection(key, kind, out snapshot) is not { } status)
            return null;
        return status == ReadStatus.Found ? ReadPacked(snapshot, ref query) : status;
    }

    /// <summary>Finds a key's collection.</summary>
    /// <returns>Null if a writer was there: try again.</returns>
    public ReadStatus? FindCollection(in EntryKey key, EntryKind kind, out ReadSnapshot snapshot)
    {
        var found = TryFind(key, out snapshot);
        if (found != true)
            return found is null ? null : ReadStatus.NotFound;
        var header = snapshot.Header;
        snapshot.Expiry = snapshot.Record.ExpiryOf(header);
        if (!snapshot.IsValid) // From here on the lengths can be trusted.
            return null;
        if (header.IsExpiring && HasPassed(snapshot.Expiry))
        {
            RemoveIfExpired(key);
            return null;
        }

        snapshot.Length = header.ValueLength;
        if (header.IsPaged)
            snapshot.Object = ObjectStub.Read(snapshot.Record.ValueOf(header));
        if (!snapshot.IsValid)
            return null;
        return header.Kind == kind ? ReadStatus.Found : ReadStatus.WrongType;
    }

    private static ReadStatus? ReadPacked<TQuery>(in ReadSnapshot snapshot, ref TQuery query)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        if (!snapshot.Object.IsNone)
            return ReadFlags(snapshot, ref query);
        var packed = snapshot.Record.ValueOf(snapshot.Header);
        query.Read(packed);
        if (!snapshot.IsValid) // What the query found belongs together.
            return null;

        query.Copy(packed);
        return snapshot.IsValid ? ReadStatus.Found : null;
    }

    // A large collection, to a query that knows small ones only: without elements, and one that Redis has converted.
    private static ReadStatus? ReadFlags<TQuery>(in ReadSnapshot snapshot, ref TQuery query)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        ReadOnlySpan<byte> flags = ConvertedAlone;
        query.Read(flags);
        query.Copy(flags);
        if (!snapshot.IsValid)
            return null;
        return ReadStatus.Found;
    }

    // Also the read of a key that the calling thread has locked; else the last attempt, which takes a copy.
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    private ReadStatus QueryLocked<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, allows ref struct
    {
        snapshot = default;
        byte[] copy = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            var entry = default(EntryLock);
            var status = ReadStatus.NotFound;
            int length = 0;
            LockToRead(key, ref entry);
            try
            {
                Describe(entry, ref snapshot);
                if (entry.IsFound)
                    status = entry.Header.Kind == kind ? ReadStatus.Found : ReadStatus.WrongType;
                if (status == ReadStatus.Found)
                    length = CopyStored(entry, copy);
            }
            finally
            {
                Unlock(ref entry);
            }

            if (status == ReadStatus.Found)
            {
                query.Read(copy.AsSpan(0, length));
                query.Copy(copy.AsSpan(0, length));
            }

            return status;
        }
        finally // A query may throw, if its sink does.
        {
            ArrayPool<byte>.Shared.Return(copy);
        }
    }

    // What is longer was never a collection.
    private static int CopyStored(in EntryLock entry, byte[] copy)
    {
        var stored = entry.Object.IsNone ? entry.StoredValue : ConvertedAlone;
        int length = Math.Min(stored.Length, PackedTable.LengthMax);
        stored[..length].CopyTo(copy);
        return length;
    }

    /// <summary>Lets a query read the collection of a key, small or large, and counts that as a read.</summary>
    /// <returns>WrongType if the key's value is of another kind: the query was not asked.</returns>
    public ReadStatus QueryAny<TQuery>(in EntryKey key, EntryKind kind, ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct
    {
        var status = QueryAnyUncounted(key, kind, ref query, out var snapshot);
        Note(key, snapshot, status);
        return status;
    }

    /// <summary>The same, but counts and renews nothing.</summary>
    public ReadStatus QueryAnyUncounted<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct
    {
        if (key.Locks is not null)
            return QueryAnyLocked(key, kind, ref query, out snapshot);
        var wait = default(SpinWait);
        for (int attempts = 0; attempts < ReadAttemptsMax; attempts++)
        {
            var status = FindCollection(key, kind, out snapshot);
            if (status == ReadStatus.Found)
            {
                status = snapshot.Object.IsNone
                    ? ReadPacked(snapshot, ref query)
                    : ReadObject(snapshot, ref query);
            }

            if (status is { } known)
                return known;
            WaitForWriter(snapshot, ref wait);
        }

        return QueryAnyLocked(key, kind, ref query, out snapshot);
    }

    /// <summary>Whether what was found of a key is still true, and its keyspace was not cleared.</summary>
    public bool IsStill(in EntryKey key, in ReadSnapshot snapshot) =>
        _generations.Of(key.Keyspace) == snapshot.Generation && snapshot.IsValid // In this order: see TryTouch.
        && HomeOf(key.Hash).Equals(snapshot.Home);

    /// <summary>Holds the large collection of a key such that others read it, but do not write.</summary>
    /// <returns>False if the key has none, of this kind.</returns>
    public bool TryHoldObject(in EntryKey key, EntryKind kind, out ObjectStub stub, out uint version)
    {
        var entry = default(EntryLock);
        stub = default;
        version = 0;
        LockToRead(key, ref entry);
        try
        {
            bool isObject = entry.IsFound && entry.Header.Kind == kind && !entry.Object.IsNone;
            if (isObject)
                version = HoldToRead(entry, out stub);
            return isObject;
        }
        finally // The store may have been disposed.
        {
            Unlock(ref entry);
        }
    }

    /// <summary>Finds room for an object's stub, which takes the place of what the key has.</summary>
    /// <remarks>shape: What is told of it. expiry: That of the key.</remarks>
    /// <returns>False if an obstacle was met; nothing is changed then.</returns>
    public bool TryPublishObject(
        ref EntryLock entry, in EntryKey key, ObjectStub stub, in RecordExpiry expiry, in ChangeShape shape,
        ReadOnlySpan<byte> told)
    {
        if (!TryStage(
            ref entry, key, ObjectStub.Length, isLarge: true, expiry, leaveRoom: false, shape, out var staged))
        {
            return false;
        }

        Debug.Assert(staged.Header.IsPaged);
        if (entry.Recorder is { } recorder && recorder.Write(key.Bytes, told)) // Not the stub.
            entry.Recorder = null;
        stub.Write(staged.Value);
        Publish(ref entry, key, staged, _state.Objects!.Account(stub));
        _state.Objects.EndMaking();
        entry.Object = stub;
        return true;
    }

    /// <summary>Counts the pages of a key's collection in its record's segment, if they changed much.</summary>
    public void AccountObject(in EntryKey key, ObjectStub stub)
    {
        if (!_state.Objects!.MustAccount(stub.Number))
            return;
        var entry = default(EntryLock);
        LockToRead(key, ref entry);
        if (entry.IsFound && entry.Object == stub)
        {
            long bytes = _state.Objects.Account(stub);
            _log.Recount(entry.Record, entry.Header, entry.Header, default, bytes);
        }

        Unlock(ref entry);
    }

    /// <summary>The version of an object as stamps show it; 0 if there is none.</summary>
    public uint ObjectVersionOf(ObjectStub stub) => stub.IsNone
        ? 0
        : (_state.Objects!.SettledVersionOf(stub.Number) >> ObjectVersionShift) & ObjectVersionMask;

    /// <summary>Takes room for pages, which the next write of the thread uses; the caller holds nothing.</summary>
    public bool TryTakePageRoom(in EntryKey key, long bytes)
    {
        var held = new HeldBytes(0, 0, ObjectHeap.PrepaidBytes + LongElements.OwnedBytesOfThread);
        if (!TryTakeRoomFor(bytes, key, held))
            return false;
        ObjectHeap.Prepay(bytes);
        return true;
    }

    private ReadStatus? ReadObject<TQuery>(in ReadSnapshot snapshot, ref TQuery query)
        where TQuery : struct, IObjectQuery, allows ref struct
    {
        var objects = _state.Objects!;
        uint number = snapshot.Object.Number;
        uint version = objects.Table.ReadVersion(number);
        if (ObjectTable.IsChanging(version))
            return null;
        var view = objects.ViewOf(number);
        if (!objects.IsCurrent(snapshot.Object))
            return null; // It was removed since.
        query.Read(view);
        if (!objects.Table.IsAt(number, version)) // What the query found belongs together.
            return null;
        query.Copy(view);
        // The home too: a transaction that holds it may have changed this object, and others.
        return objects.Table.IsAt(number, version) && snapshot.IsValid ? ReadStatus.Found : null;
    }

    // Also the read of a key that the calling thread has locked; else the last attempt. A large collection is read
    // while it is held such that others read it too, and its home is not.
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    private ReadStatus QueryAnyLocked<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct
    {
        snapshot = default;
        byte[] copy = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        var stub = default(ObjectStub);
        uint version = 0;
        try
        {
            var entry = default(EntryLock);
            int length = 0;
            var status = ReadStatus.NotFound;
            LockToRead(key, ref entry);
            try
            {
                Describe(entry, ref snapshot);
                if (entry.IsFound)
                    status = entry.Header.Kind == kind ? ReadStatus.Found : ReadStatus.WrongType;
                if (status == ReadStatus.Found && entry.Object.IsNone)
                    length = CopyStored(entry, copy);
                else if (status == ReadStatus.Found)
                    version = HoldToRead(entry, out stub);
            }
            finally
            {
                Unlock(ref entry);
            }

            if (status == ReadStatus.Found)
                ReadHeld(stub, copy.AsSpan(0, length), ref query);
            return status;
        }
        finally // A query may throw, if its sink does.
        {
            if (!stub.IsNone)
                _state.Objects!.Table.LetGo(stub.Number, version, isChanged: false);
            ArrayPool<byte>.Shared.Return(copy);
        }
    }

    private void ReadHeld<TQuery>(ObjectStub stub, ReadOnlySpan<byte> packed, ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct
    {
        if (stub.IsNone)
        {
            query.Read(packed);
            query.Copy(packed);
            return;
        }

        var view = _state.Objects!.ViewOf(stub.Number);
        query.Read(view);
        query.Copy(view);
    }

    private uint HoldToRead(in EntryLock entry, out ObjectStub stub)
    {
        uint version = _state.Objects!.Hold(entry.Object.Number, mayChange: false);
        stub = entry.Object; // Known only once it is held.
        return version;
    }

    private long AccountedBytesOf(ObjectStub stub) => stub.IsNone ? 0 : _state.Objects!.AccountedBytesOf(stub);

    private long ObjectBytesOf(ObjectStub stub) =>
        stub.IsNone ? 0 : ObjectInfo.Size + _state.Objects!.Table[stub.Number].PageBytes;

    /// <summary>Leaves the object of the locked entry to the end of the lock.</summary>
    /// <returns>What the segment counts for it, or 0.</returns>
    private long DropObject(ref EntryLock entry)
    {
        if (entry.Object.IsNone)
            return 0;
        _state.Objects!.SettledVersionOf(entry.Object.Number); // Who writes it is told of first.
        if (entry.KeepsObject)
            return AccountedBytesOf(entry.Object);
        Debug.Assert(entry.GarbageObject.IsNone, "A lock replaces one object at most.");
        entry.GarbageObject = entry.Object;
        entry.Object = default;
        return _state.Objects.EndAccounting(entry.GarbageObject);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Not of strings.
    private void RetireObject(ref EntryLock entry)
    {
        var stub = entry.GarbageObject;
        entry.GarbageObject = default;
        _state.Objects!.Retire(stub);
    }
}
