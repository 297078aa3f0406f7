using System.Buffers;
using Cache.Core.Changes;
using Cache.Core.Collections;
using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <summary>Operations on several collections, and what is known of each.</summary>
public sealed partial class CacheStore
{
    // So often reads of several keys try to find them unchanged, before they lock the keys.
    private const int UnlockedAttemptsMax = 3;

    // Longer sources are not read while their keys are locked: that takes a millisecond for so many bytes, or several.
    private const long LockedBytesMax = 1 << 20;

    // The longest collection that one write makes.
    private const int CollectionBytesMax = PackedTable.LengthMax;

    // What a combination is computed in is not counted; so it is a small share of what the store may have.
    private const int CombinedShare = 8;

    // Of one array of all bytes; that of a step more still fits.
    private const long TakenBytesMax = 1 << 30;

    internal long TakenMembersMax => Math.Min(CombinedBytesMax, TakenBytesMax);

    private long CombinedBytesMax => _state.LimitBytes / CombinedShare;

    /// <summary>An operation on some keys, which may be run again; a struct over the caller's bytes.</summary>
    private interface ITransactionBody
    {
        int KeyCount { get; }

        int WriteCount { get; }

        long WrittenBytes { get; }

        // Whether its reads may be made before the keys are locked, if they are unchanged then.
        bool ReadsUnlocked { get; }

        // Whether there is nothing to write: reading showed that.
        bool IsOver { get; }

        ReadOnlySpan<byte> GetKey(int index);

        void Read(CacheStore store);

        void Write(CacheStore store);
    }

    /// <summary>Up to which size Redis would keep a collection in its compact encoding.</summary>
    public EncodingLimits EncodingLimits
    {
        get => _state.EncodingLimits;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            _state.EncodingLimits = value;
        }
    }

    /// <summary>What is known of a collection, without counting or renewing anything.</summary>
    /// <returns>False if the key is absent, or no collection.</returns>
    public bool TryPeekCollection(ReadOnlySpan<byte> key, out CollectionInfo info)
    {
        var entryKey = KeyOf(key);
        var shard = ShardOf(entryKey);
        while (shard.TryGetInfo(entryKey, touch: false, out var entry)
            && PackedCheck.TryGetShape(entry.Kind, out var shape))
        {
            var query = new CollectionInfoQuery(shape);
            var status = shard.QueryAnyUncounted(entryKey, entry.Kind, ref query, out _);
            info = new CollectionInfo
            {
                Kind = entry.Kind,
                Count = query.Count,
                IsConverted = query.IsConverted,
                IsTimed = query.IsTimed,
                ExpiringCount = query.TimedCount,
            };
            if (status == ReadStatus.Found)
                return true;
        }

        info = default;
        return false;
    }

    /// <summary>Runs an operation on several keys as if there were no other.</summary>
    /// <remarks>
    /// It reads without a lock, and locks the keys only to write, if none of them was written meanwhile; unless they
    /// are written each time.
    /// </remarks>
    private void RunAtomically<TBody>(ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        if (_transaction is not null)
        {
            RunBoth(ref body, this);
            return;
        }

        if (body.ReadsUnlocked && TryRunUnlocked(ref body))
            return;
        // What it reads is not known yet.
        long readBytes = body.ReadsUnlocked && _state.Listeners?.Journal is not null ? ChangeJournal.SpanLengthMax : 0;
        var transaction = new BodyTransaction<TBody>(body, _keyspace, null, readBytes);
        Transact(ref transaction);
        body = transaction.Body;
    }

    private static void RunBoth<TBody>(ref TBody body, CacheStore store)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        body.Read(store);
        if (!body.IsOver)
            body.Write(store);
    }

    private bool TryRunUnlocked<TBody>(ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        var versions = ArrayPool<EntryVersion>.Shared.Rent(body.KeyCount);
        try
        {
            for (int attempts = 0; attempts < UnlockedAttemptsMax; attempts++)
            {
                for (int i = 0; i < body.KeyCount; i++)
                    versions[i] = VersionOf(body.GetKey(i));
                body.Read(this);
                if (!AreStill(versions, ref body))
                    continue;
                if (body.IsOver)
                    return true;
                var transaction = new BodyTransaction<TBody>(body, _keyspace, versions, readBytes: 0);
                Transact(ref transaction);
                body = transaction.Body;
                if (transaction.IsDone)
                    return true;
            }

            return IsLong(ref body) && RunAsRead(ref body);
        }
        finally // The caller's keys may throw.
        {
            ArrayPool<EntryVersion>.Shared.Return(versions);
        }
    }

    private bool IsLong<TBody>(ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        long bytes = 0;
        for (int i = 0; i < body.KeyCount; i++)
            bytes += TryPeekInfo(body.GetKey(i), out var info) ? info.MemoryBytes : 0;
        return bytes > LockedBytesMax;
    }

    // Each source as it was at a moment of the call, as the last attempt has read it.
    private bool RunAsRead<TBody>(ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        if (body.IsOver)
            return true;
        var transaction = new BodyTransaction<TBody>(body, _keyspace, [], readBytes: 0);
        Transact(ref transaction);
        body = transaction.Body;
        return true;
    }

    private bool AreStill<TBody>(EntryVersion[] versions, ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        for (int i = 0; i < body.KeyCount; i++)
        {
            if (versions[i] != VersionOf(body.GetKey(i)))
                return false;
        }

        return true;
    }

    // Of its home, where it is absent: it may come and go.
    private EntryVersion VersionOf(ReadOnlySpan<byte> key)
    {
        TryPeekInfo(key, out var info);
        return info.Version;
    }

    // versions: What the keys had when they were read; empty: any; null: they are read here. readBytes: What more is
    // written then.
    private ref struct BodyTransaction<TBody>(TBody body, int keyspace, EntryVersion[]? versions, long readBytes)
        : ITransaction
        where TBody : struct, ITransactionBody, allows ref struct
    {
        public TBody Body = body;

        public bool IsDone { get; private set; }

        public readonly int KeyCount => Body.KeyCount;

        public readonly int WriteCount => Body.WriteCount;

        public readonly long WrittenBytes => Body.WrittenBytes + readBytes;

        public ReadOnlySpan<byte> GetKey(int index) => Body.GetKey(index);

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            IsDone = versions is null or [] || store.AreStill(versions, ref Body);
            if (versions is null)
                RunBoth(ref Body, store);
            else if (IsDone)
                Body.Write(store);
        }
    }
}
