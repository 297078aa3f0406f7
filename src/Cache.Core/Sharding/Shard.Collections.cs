using System.Buffers;
using System.Runtime.CompilerServices;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Sharding;

/// <summary>Reads of collections that lie in one record each.</summary>
internal sealed partial class Shard
{
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

    /// <summary>Copies a collection as it is stored, and what else is known of it; counts nothing.</summary>
    public ReadStatus PeekStored<TSink>(in EntryKey key, EntryKind kind, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var query = new StoredQuery<TSink>(sink);
        var status = QueryUncounted(key, kind, ref query, out var snapshot);
        sink = query.Sink;
        info = InfoOf(snapshot);
        if (status == ReadStatus.Found)
            sink.Advance(query.Length);
        return status;
    }

    /// <returns>Null if a writer was there: try again.</returns>
    private ReadStatus? QueryOnce<TQuery>(
        in EntryKey key, EntryKind kind, ref TQuery query, out ReadSnapshot snapshot)
        where TQuery : struct, IPackedQuery, allows ref struct
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
        if (header.Kind != kind)
            return ReadStatus.WrongType;
        var packed = snapshot.Record.ValueOf(header);
        query.Read(packed);
        if (!snapshot.IsValid) // What the query found belongs together.
            return null;

        query.Copy(packed);
        return snapshot.IsValid ? ReadStatus.Found : null;
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
        var stored = entry.StoredValue;
        int length = Math.Min(stored.Length, PackedTable.LengthMax);
        stored[..length].CopyTo(copy);
        return length;
    }

    private ref struct StoredQuery<TSink>(TSink sink) : IPackedQuery
        where TSink : struct, IValueSink, allows ref struct
    {
        public TSink Sink = sink;

        public int Length { get; private set; }

        public void Read(ReadOnlySpan<byte> packed) => Length = packed.Length;

        public void Copy(ReadOnlySpan<byte> packed) => packed.CopyTo(Sink.GetSpan(Length));
    }
}
