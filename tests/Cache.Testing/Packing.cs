using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Core.Compression;
using Cache.Core.Sharding;

namespace Cache.Testing;

/// <summary>Compressed values, made at once, and looked at.</summary>
internal static class Packing
{
    /// <summary>Compresses the value of an entry where it lies, as the reclaimer would in its next place.</summary>
    /// <exception cref="ArgumentException">There is no entry, or its value does not become shorter.</exception>
    public static void Compress(this CacheStore store, ReadOnlySpan<byte> key)
    {
        if (!store.TryCompress(key))
            throw new ArgumentException("There is no such entry, or it cannot be compressed.", nameof(key));
    }

    /// <summary>As <see cref="Compress"/>; false if there is nothing to compress.</summary>
    public static bool TryCompress(this CacheStore store, ReadOnlySpan<byte> key)
    {
        var state = StateOf(store);
        var entryKey = state.KeyOf(key, (byte)store.Keyspace);
        var operation = new PackOperation(state);
        return state.ShardOf(entryKey.Hash).Write(entryKey, ref operation) == WriteStatus.Done;
    }

    /// <summary>Whether the value of an entry is compressed, and with which dictionary; null: it is not.</summary>
    public static int? CodecOf(this CacheStore store, ReadOnlySpan<byte> key)
    {
        var state = StateOf(store);
        var entryKey = state.KeyOf(key, (byte)store.Keyspace);
        var operation = default(LookOperation);
        state.ShardOf(entryKey.Hash).Write(entryKey, ref operation);
        return operation.Codec;
    }

    /// <summary>Gives a store a dictionary for the values that are compressed from now on.</summary>
    public static void UseDictionary(this CacheStore store, ReadOnlySpan<byte> bytes)
    {
        var state = StateOf(store);
        lock (state.Reclaimer.Gate)
        {
            state.Budget.Add(Lz4Dictionary.SizeMax);
            state.Packer.Dictionaries.Add(new Lz4Dictionary(bytes.ToArray()));
        }
    }

    /// <summary>The number of the present dictionary, and how many there are.</summary>
    public static (int Current, int Count) Dictionaries(this CacheStore store)
    {
        var dictionaries = StateOf(store).Packer.Dictionaries;
        return (dictionaries.Current, dictionaries.Count);
    }

    /// <summary>Whether most values that are moved to main become shorter.</summary>
    public static bool DoesPackingPayOff(this CacheStore store) => StateOf(store).Packer.PaysOff;

    /// <summary>Waits for the thread that makes a dictionary, if there is one.</summary>
    public static void AwaitTraining(this CacheStore store) => StateOf(store).Packer.AwaitTraining();

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private readonly struct PackOperation(StoreState state) : IEntryOperation
    {
        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
        {
            if (!entry.IsFound || !entry.Header.IsRaw || entry.Header.IsLarge)
                return WriteStatus.NotFound;
            var value = entry.StoredValue;
            var dictionaries = state.Packer.Dictionaries;
            byte[] packed = new byte[value.Length];
            if (!PackedValue.TryPack(
                value, dictionaries.Current, dictionaries.CurrentDictionary, packed, out int length))
            {
                return WriteStatus.ConditionNotMet;
            }

            entry.IsChanged = true;
            entry.Header = entry.Header.WithStringBytes(length, isCompressed: true);
            var record = entry.Record;
            packed.AsSpan(0, length).CopyTo(record.ValueOf(entry.Header));
            record.Header = entry.Header;
            state.Log.Packed.Add(record, entry.Header);
            return WriteStatus.Done;
        }
    }

    private struct LookOperation : IEntryOperation
    {
        public int? Codec { get; private set; }

        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
        {
            if (entry.IsFound && entry.Header.IsCompressed)
                Codec = entry.StoredValue[0];
            return WriteStatus.Done;
        }
    }
}
