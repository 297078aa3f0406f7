using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Core.Sharding;

namespace Cache.Testing;

/// <summary>Entries of other kinds than strings, before anything makes such.</summary>
internal static class OtherKind
{
    /// <summary>Says of an entry that it is of a kind; its bytes stay.</summary>
    public static void SetKind(this CacheStore store, ReadOnlySpan<byte> key, EntryKind kind)
    {
        var state = StateOf(store);
        var entryKey = state.KeyOf(key, (byte)store.Keyspace);
        var operation = new KindOperation(kind);
        if (state.ShardOf(entryKey.Hash).Write(entryKey, ref operation) != WriteStatus.Done)
            throw new ArgumentException("There is no such entry.", nameof(key));
    }

    /// <summary>The kind of an entry, without touching it; None if there is none.</summary>
    public static EntryKind KindOf(this CacheStore store, ReadOnlySpan<byte> key)
    {
        store.TryPeekInfo(key, out var info);
        return info.Kind;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private readonly struct KindOperation(EntryKind kind) : IEntryOperation
    {
        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
        {
            if (!entry.IsFound)
                return WriteStatus.NotFound;
            entry.IsChanged = true;
            entry.Header = entry.Header.WithKind(kind);
            var record = entry.Record;
            record.Header = entry.Header;
            return WriteStatus.Done;
        }
    }
}
