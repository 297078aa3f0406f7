using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Popping;

/// <summary>Takes elements of the first of several keys that has any.</summary>
/// <remarks>
/// That a key is empty counts only at the moment in which another one is changed: so then the keys are locked, unless
/// they are many. Of a large collection a step is taken while they are.
/// </remarks>
internal static class FirstPop<TPop>
    where TPop : struct, IPop<TPop>
{
    // With more, whole pages would be locked, and others would wait: they are looked at one after the other.
    private const int LockedKeysMax = 64;

    // The most that is told of a pop from a small collection, which has fewer elements.
    private const long SmallWriteBytesMax = 4096;
    private const long SmallElementsMax = 1024;

    private const long StepElements = 128;

    /// <summary>Takes up to this many elements, and says of which key.</summary>
    public static WriteStatus Take(
        RequestSlice keys, TPop pop, long count, ByteStringList taken, CacheStore store, out int index)
    {
        index = 0;
        var status = pop.Take(store, keys.GetKey(0), count, taken);
        if (status != WriteStatus.NotFound || keys.Count == 1)
            return status;
        return keys.Count > LockedKeysMax
            ? TakeApart(keys, pop, count, taken, store, out index)
            : TakeLocked(keys, pop, count, taken, store, out index);
    }

    private static WriteStatus TakeApart(
        RequestSlice keys, TPop pop, long count, ByteStringList taken, CacheStore store, out int index)
    {
        var status = WriteStatus.NotFound;
        for (index = 1; index < keys.Count; index++)
        {
            status = pop.Take(store, keys.GetKey(index), count, taken);
            if (status != WriteStatus.NotFound)
                break;
        }

        return status;
    }

    private static WriteStatus TakeLocked(
        RequestSlice keys, TPop pop, long count, ByteStringList taken, CacheStore store, out int index)
    {
        var body = new Locked(keys, pop, count, taken, store.Keyspace, HasLarge(keys, store));
        store.Transact(ref body);
        index = body.Index;
        long done = taken.Count / TPop.TextsPerElement;
        if (body.Status == WriteStatus.Done && body.IsLarge && done >= StepElements && done < count)
            pop.Take(store, keys.GetKey(index), count - done, taken);
        return body.Status;
    }

    private static bool HasLarge(RequestSlice keys, CacheStore store)
    {
        for (int i = 0; i < keys.Count; i++)
        {
            if (IsLarge(keys.GetKey(i), store))
                return true;
        }

        return false;
    }

    private static bool IsLarge(ReadOnlySpan<byte> key, CacheStore store) =>
        store.TryPeekInfo(key, out var info) && info.Kind == TPop.Kind && info.MemoryBytes > TPop.SmallBytesMax;

    private ref struct Locked(
        RequestSlice keys, TPop pop, long count, ByteStringList taken, int keyspace, bool hasLarge)
        : ITransaction
    {
        private readonly RequestSlice _keys = keys;

        public readonly int KeyCount => _keys.Count;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => hasLarge ? TPop.StepBytesMax : SmallWriteBytesMax;

        public WriteStatus Status { get; private set; }

        /// <summary>Which key had elements.</summary>
        public int Index { get; private set; }

        /// <summary>Whether a step was taken of that one.</summary>
        public bool IsLarge { get; private set; }

        public readonly ReadOnlySpan<byte> GetKey(int index) => _keys.GetKey(index);

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            Status = WriteStatus.NotFound;
            for (Index = 0; Index < KeyCount; Index++)
            {
                IsLarge = FirstPop<TPop>.IsLarge(GetKey(Index), store);
                long most = Math.Min(count, IsLarge ? StepElements : SmallElementsMax);
                Status = pop.Take(store, GetKey(Index), most, taken);
                if (Status != WriteStatus.NotFound)
                    return;
            }
        }
    }
}
