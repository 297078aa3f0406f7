using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>Keys whose values are collections.</summary>
public sealed partial class CacheStore
{
    // A key whose kind changes between the two looks at it is seldom met twice.
    private const int PeekAttemptsMax = 8;

    internal StoreState State => _state;

    /// <summary>The hash of a key: fields, each with a value. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public HashKey Hash(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new HashKey(this, KeyOf(key));
    }

    /// <summary>The stream of a key: entries in the order of their ids. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public StreamKey Stream(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new StreamKey(_state, _refusedWrites, KeyOf(key));
    }

    /// <summary>Copies a value of any kind as it is stored in a file, without counting anything.</summary>
    /// <returns>False if there is no live entry, or no file can hold its kind.</returns>
    internal bool TryPeekStored<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        for (int attempts = 0; attempts < PeekAttemptsMax; attempts++)
        {
            bool isCopied = TryPeekStored(entryKey, ref sink, out info, out bool isOtherKind);
            if (!isOtherKind)
                return isCopied;
            // Another thread has made another kind of it in between: the key is there, and is asked again.
        }

        // Then nobody does, while it is copied.
        var locks = KeyLocks.Rent();
        Span<ulong> hashes = [entryKey.Hash];
        try
        {
            locks.Enter(_state, hashes, isExclusive: false, held: default);
            var locked = new EntryKey(key, _keyspace, entryKey.Hash, locks);
            return TryPeekStored(locked, ref sink, out info, out _);
        }
        finally // The store may have been disposed.
        {
            locks.Exit();
            KeyLocks.Return(locks);
        }
    }

    private bool TryPeekStored<TSink>(in EntryKey key, ref TSink sink, out EntryInfo info, out bool isOtherKind)
        where TSink : struct, IValueSink, allows ref struct
    {
        isOtherKind = false;
        if (ShardOf(key).Peek(key, ByteRange.All, ref sink, out info) == ReadStatus.Found)
            return true;
        if (!PackedCheck.TryGetShape(info.Kind, out _))
            return false;
        var status = StoredCollection.Peek(_state, key, info.Kind, ref sink, out info);
        isOtherKind = status == ReadStatus.WrongType;
        return status == ReadStatus.Found;
    }

    /// <summary>Writes a value of any kind as it was in a file.</summary>
    /// <remarks>bytes: Of a collection; they were checked by <see cref="StoredCollection"/>.</remarks>
    internal WriteStatus SetStored(
        ReadOnlySpan<byte> key, EntryKind kind, ReadOnlySpan<byte> bytes, in EntryOptions options)
    {
        if (kind == EntryKind.String)
            return Set(key, bytes, options);
        return Counted(
            ElementReader.IsStored(bytes)
                ? ObjectMaker.Set(_state, KeyOf(key), kind, bytes, options)
                : EntryWriter.SetPacked(_state, KeyOf(key), kind, bytes, options));
    }

    /// <summary>Writes a collection in the form of files, which anybody may have made: it is checked.</summary>
    /// <param name="key">The key.</param>
    /// <param name="kind">No string.</param>
    /// <param name="bytes">The collection.</param>
    /// <param name="options">Not with an expiry in the past.</param>
    /// <param name="isWhole">Whether the store could have made it; else nothing is written.</param>
    /// <returns>
    /// CollectionTooLong also of a small one that the store takes as a large one alone.
    /// </returns>
    internal WriteStatus SetForeign(
        ReadOnlySpan<byte> key, EntryKind kind, ReadOnlySpan<byte> bytes, in EntryOptions options, out bool isWhole)
    {
        ThrowIfDisposed();
        isWhole = StoredCollection.IsWhole(kind, bytes);
        if (!isWhole)
            return WriteStatus.ConditionNotMet;
        if (key.Length > KeyLengthMax)
            return WriteStatus.KeyTooLong;
        var entryKey = KeyOf(key);
        if (ElementReader.IsStored(bytes))
            return Counted(SetForeign(entryKey, kind, bytes, options));
        return CollectionLimits.MayBecome(ShardOf(entryKey), entryKey, lengthBefore: 0, bytes.Length)
            ? Counted(EntryWriter.SetPacked(_state, entryKey, kind, bytes, options))
            : WriteStatus.CollectionTooLong;
    }

    private WriteStatus SetForeign(
        in EntryKey key, EntryKind kind, ReadOnlySpan<byte> bytes, in EntryOptions options)
    {
        for (var elements = ElementReader.OfStored(bytes); elements.TryRead();)
        {
            if (elements.Name.Length > _state.ValueLengthMax || elements.Value.Length > _state.ValueLengthMax)
                return WriteStatus.CollectionTooLong;
        }

        using var large = new LargeResult(_state, kind);
        var status = large.MakeStored(key, bytes);
        return status == WriteStatus.Done ? large.Link(key, options) : status;
    }

    /// <summary>The number of the first write of a new list, see <see cref="ListReplacer"/>.</summary>
    internal ulong FirstListChange => (_state.Objects?.LoadedChange ?? 0) + 1;

    /// <summary>Gives an entry of any kind a sliding expiry; its value is not made again.</summary>
    /// <param name="key">The key.</param>
    /// <param name="slidingMs">The interval.</param>
    /// <param name="absoluteUnixMs">The moment at which it ends in any case; 0: none.</param>
    internal WriteStatus ExpireSliding(ReadOnlySpan<byte> key, long slidingMs, long absoluteUnixMs)
    {
        var options = new EntryOptions { SlidingMs = slidingMs, ExpiresAtUnixMs = absoluteUnixMs };
        return Counted(EntryTaker.ExpireSliding(_state, KeyOf(key), options));
    }

    /// <summary>Lets no field of a hash expire, in any keyspace, until <see cref="ReleaseFields"/>.</summary>
    internal void HoldFields() => _state.Fields.Hold();

    /// <summary>Lets fields expire again, and at once those of moments up to one, in Unix milliseconds.</summary>
    internal void ReleaseFields(long floorUnixMs) => _state.Fields.Release(floorUnixMs);

    /// <summary>Removes the fields of a hash that have expired; for a load.</summary>
    internal void RemoveExpiredFields(ReadOnlySpan<byte> key) => FieldSweep.RemoveAll(_state, KeyOf(key));

    /// <summary>Changes elements of a collection as a journal says; an absent key was evicted.</summary>
    internal WriteStatus ChangeStored(ReadOnlySpan<byte> key, EntryKind kind, ReadOnlySpan<byte> changes)
    {
        var edit = new StoredChangesEdit(kind, changes);
        var status = Counted(ObjectWriter.Write(_state, KeyOf(key), ref edit));
        if (kind == EntryKind.List)
            _state.TryMakeObjects()?.NoteLoaded(StoredListChanges.NumberOf(changes)); // Small now, it may grow.
        return status;
    }
}
