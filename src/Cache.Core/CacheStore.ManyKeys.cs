using Cache.Core.Contracts;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>Operations on several keys, each at one moment.</summary>
public sealed partial class CacheStore
{
    /// <summary>Copies the values of several keys, as of one moment, into the sink in the order of the keys.</summary>
    public void GetMany<TKeys, TSink>(ref TKeys keys, ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        using var gates = LockAll(ref keys);
        for (int i = 0; i < keys.Count; i++)
        {
            if (!TryGet(keys.GetKey(i), ref sink))
                sink.Miss();
        }
    }

    /// <summary>Writes several entries that never expire: all of them, or none.</summary>
    /// <param name="entries">Keys and values; of a key that comes twice, the last value stays.</param>
    /// <param name="condition">Must hold for every key.</param>
    public WriteStatus SetMany<TEntries>(ref TEntries entries, SetCondition condition)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        using var gates = LockAll(ref entries);
        var status = CheckMany(ref entries, condition);
        for (int i = 0; i < entries.Count && status == WriteStatus.Done; i++)
            status = Set(entries.GetKey(i), entries.GetValue(i));
        return status;
    }

    /// <summary>Gives an entry another key, with its value and expiry; an entry that had the new key goes.</summary>
    /// <returns>
    /// Done, NotFound, ConditionNotMet if the new key exists and must not, OutOfMemory or KeyTooLong.
    /// </returns>
    public WriteStatus Rename(ReadOnlySpan<byte> key, ReadOnlySpan<byte> newKey, SetCondition condition)
    {
        var from = KeyOf(key);
        var to = KeyOf(newKey);
        using var gates = LockTwo(from, to);
        var source = ShardOf(from).Find(from);
        if (source is null)
            return WriteStatus.NotFound;
        bool exists = ShardOf(to).Find(to) is not null;
        if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
            return WriteStatus.ConditionNotMet;
        if (key.SequenceEqual(newKey))
            return WriteStatus.Done;
        var status = ShardOf(to).Adopt(to, source);
        if (status == WriteStatus.Done)
            ShardOf(from).Remove(from);
        return status;
    }

    /// <summary>Copies an entry with its value and expiry.</summary>
    /// <param name="key">The key of this keyspace.</param>
    /// <param name="destination">A view of the same store; perhaps this one.</param>
    /// <param name="newKey">The key there.</param>
    /// <param name="condition">What must hold of the new key.</param>
    /// <exception cref="ArgumentException">The destination is another store.</exception>
    public WriteStatus Copy(
        ReadOnlySpan<byte> key, CacheStore destination, ReadOnlySpan<byte> newKey, SetCondition condition)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (destination._state != _state)
            throw new ArgumentException("The destination is a view of another store.", nameof(destination));
        var from = KeyOf(key);
        var to = destination.KeyOf(newKey);
        using var gates = LockTwo(from, to);
        var source = ShardOf(from).Find(from);
        if (source is null)
            return WriteStatus.NotFound;
        bool exists = ShardOf(to).Find(to) is not null;
        if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
            return WriteStatus.ConditionNotMet;
        return ShardOf(to).Adopt(to, source);
    }

    private WriteStatus CheckMany<TEntries>(ref TEntries entries, SetCondition condition)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        long bytes = 0;
        for (int i = 0; i < entries.Count; i++)
        {
            var key = entries.GetKey(i);
            var value = entries.GetValue(i);
            if (key.Length > KeyLengthMax)
                return WriteStatus.KeyTooLong;
            if (value.Length > _state.ValueLengthMax)
                return WriteStatus.ValueTooLong;
            bytes += Entry.SizeOf(key.Length, value.Length);
            bool exists = condition != SetCondition.Always && TryPeekInfo(key, out _);
            if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
                return WriteStatus.ConditionNotMet;
        }

        bool fits = Eviction == EvictionPolicy.AllEntries
            ? bytes <= MemoryLimitBytes
            : _state.Budget.HasRoomFor(bytes);
        return fits ? WriteStatus.Done : WriteStatus.OutOfMemory;
    }

    private ShardGates LockAll<TKeys>(ref TKeys keys)
        where TKeys : struct, IKeySource, allows ref struct
    {
        var gates = new ShardGates(_state.Shards);
        for (int i = 0; i < keys.Count; i++)
            gates.Add(ShardOf(KeyOf(keys.GetKey(i))));
        gates.Enter();
        return gates;
    }

    private ShardGates LockTwo(in EntryKey one, in EntryKey other)
    {
        var gates = new ShardGates(_state.Shards);
        gates.Add(ShardOf(one));
        gates.Add(ShardOf(other));
        gates.Enter();
        return gates;
    }
}
