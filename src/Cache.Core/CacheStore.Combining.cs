using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <summary>Operations on several collections, and what is known of each.</summary>
public sealed partial class CacheStore
{
    // So often reads of several keys try to find them unchanged, before they lock the keys.
    private const int UnlockedAttemptsMax = 3;

    // The longest collection that one write makes.
    private const int CollectionBytesMax = PackedTable.LengthMax;

    /// <summary>An operation on some keys, which may be run again; a struct over the caller's bytes.</summary>
    private interface ITransactionBody
    {
        int KeyCount { get; }

        int WriteCount { get; }

        long WrittenBytes { get; }

        ReadOnlySpan<byte> GetKey(int index);

        void Run(CacheStore store);
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
            var status = shard.QueryUncounted(entryKey, entry.Kind, ref query, out _);
            info = new CollectionInfo { Kind = entry.Kind, Count = query.Count, IsConverted = query.IsConverted };
            if (status == ReadStatus.Found)
                return true;
        }

        info = default;
        return false;
    }

    /// <summary>Runs an operation on several keys as if there were no other.</summary>
    /// <remarks>
    /// One that writes nothing holds no lock, unless the keys are written each time that it reads them.
    /// </remarks>
    private void RunAtomically<TBody>(ref TBody body)
        where TBody : struct, ITransactionBody, allows ref struct
    {
        if (_transaction is not null)
        {
            body.Run(this);
            return;
        }

        if (body.WriteCount == 0 && TryRunUnlocked(ref body))
            return;
        var transaction = new BodyTransaction<TBody>(body, _keyspace);
        Transact(ref transaction);
        body = transaction.Body;
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
                body.Run(this);
                int unchanged = 0;
                while (unchanged < body.KeyCount && versions[unchanged] == VersionOf(body.GetKey(unchanged)))
                    unchanged++;
                if (unchanged == body.KeyCount)
                    return true;
            }

            return false;
        }
        finally // The caller's keys may throw.
        {
            ArrayPool<EntryVersion>.Shared.Return(versions);
        }
    }

    private EntryVersion VersionOf(ReadOnlySpan<byte> key)
    {
        TryPeekInfo(key, out var info);
        return info.Version;
    }

    private ref struct BodyTransaction<TBody>(TBody body, int keyspace) : ITransaction
        where TBody : struct, ITransactionBody, allows ref struct
    {
        public TBody Body = body;

        public readonly int KeyCount => Body.KeyCount;

        public readonly int WriteCount => Body.WriteCount;

        public readonly long WrittenBytes => Body.WrittenBytes;

        public ReadOnlySpan<byte> GetKey(int index) => Body.GetKey(index);

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store) => Body.Run(store);
    }
}
