using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Walks over the entries of a shard.</summary>
internal sealed partial class Shard
{
    // Keys are gathered under a lock and handed on without it: two bytes of length, one of kind, then the key.
    private const int GatheredPrefix = KindOffset + 1;
    private const int KindOffset = sizeof(ushort);
    private const int GatheredInitially = 4096;

    /// <summary>Where a scan of this shard begins.</summary>
    public ScanCursor ScanStart => new(FirstPosition, 0, 0);

    /// <summary>Hands out the keys of one home bucket, and moves on to the next.</summary>
    /// <remarks>kind: Of which kind they are; None: of any. taken: Counts those of other kinds too.</remarks>
    /// <returns>False if the shard's last bucket was visited.</returns>
    public bool ScanNext<TSink>(
        byte keyspace, EntryKind kind, ref ScanCursor cursor, ref TSink sink, ref int taken)
        where TSink : struct, IKeySink, allows ref struct
    {
        byte[] keys = ArrayPool<byte>.Shared.Rent(GatheredInitially);
        try
        {
            bool isMore = Gather(keyspace, ref cursor, ref keys, out int length);
            for (int offset = 0; offset < length;)
            {
                int keyLength = BinaryPrimitives.ReadUInt16LittleEndian(keys.AsSpan(offset));
                if (kind == EntryKind.None || kind == (EntryKind)keys[offset + KindOffset])
                    sink.Take(keys.AsSpan(offset + GatheredPrefix, keyLength));
                offset += GatheredPrefix + keyLength;
                taken++;
            }

            return isMore;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(keys);
        }
    }

    /// <summary>Copies a key into the sink: the first that is found from a random bucket on.</summary>
    public bool TryGetRandomKey<TSink>(byte keyspace, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (CountOf(keyspace) == 0)
            return false;
        uint positionsPerShard = (uint)((1UL << PositionBits) >> _shardBits);
        uint offset = (uint)Random.Shared.NextInt64((long)(1UL << PositionBits) >> _shardBits);
        uint start = (uint)(((ulong)Index << PositionBits >> _shardBits) + (offset & (positionsPerShard - 1)));
        return TryGetKeyFrom(new ScanCursor(start, -1, Random.Shared.Next(IndexPage.HomeCount)), keyspace, ref sink)
            || TryGetKeyFrom(new ScanCursor(FirstPosition, -1, 0), keyspace, ref sink);
    }

    private uint FirstPosition => (uint)((ulong)Index << PositionBits >> _shardBits);

    private bool TryGetKeyFrom<TSink>(ScanCursor cursor, byte keyspace, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        byte[] keys = ArrayPool<byte>.Shared.Rent(GatheredInitially);
        try
        {
            bool isMore = true;
            while (isMore)
            {
                isMore = Gather(keyspace, ref cursor, ref keys, out int length);
                if (length == 0)
                    continue;
                int skipped = Random.Shared.Next(Bucket.SlotLast);
                int offset = 0;
                for (int next = 0; skipped >= 0 && next < length; skipped--)
                {
                    offset = next;
                    next += GatheredPrefix + BinaryPrimitives.ReadUInt16LittleEndian(keys.AsSpan(next));
                }

                int keyLength = BinaryPrimitives.ReadUInt16LittleEndian(keys.AsSpan(offset));
                keys.AsSpan(offset + GatheredPrefix, keyLength).CopyTo(sink.GetSpan(keyLength));
                sink.Advance(keyLength);
                return true;
            }

            return false;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(keys);
        }
    }

    /// <summary>Copies the live keys of the cursor's home bucket, and moves on to the next.</summary>
    private bool Gather(byte keyspace, ref ScanCursor cursor, ref byte[] keys, out int length)
    {
        lock (_growthGate) // So that the page stays what the directory says; entries come and go meanwhile.
        {
            var page = PageAt(ref cursor, out int first, out int count);
            length = GatherHome(page[cursor.Home], keyspace, ref keys);
            if (cursor.Home + 1 >= IndexPage.HomeCount)
                return TryMoveToNextPage(ref cursor, first, count);
            cursor = new ScanCursor(cursor.Position, cursor.Depth, cursor.Home + 1);
            return true;
        }
    }

    /// <summary>
    /// The page at the cursor; the cursor goes back to its first bucket if the page is another than before.
    /// </summary>
    private IndexPage PageAt(ref ScanCursor cursor, out int first, out int count)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        ulong hash = (ulong)cursor.Position << PositionBits;
        FindRange(PositionOf(hash, _directory.Length), out first, out count);
        int depth = _shardBits + BitOperations.Log2((uint)(_directory.Length / count));
        bool isSame = cursor.Depth == depth || cursor.Depth < 0;
        int home = isSame && cursor.Home < IndexPage.HomeCount ? cursor.Home : 0;
        cursor = new ScanCursor(cursor.Position, depth, home);
        return PageOf(hash);
    }

    private bool TryMoveToNextPage(ref ScanCursor cursor, int first, int count)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        int next = first + count;
        if (next >= _directory.Length)
            return false;
        uint width = (uint)(((1UL << PositionBits) >> _shardBits) / (uint)_directory.Length);
        cursor = new ScanCursor(FirstPosition + (uint)next * width, 0, 0);
        return true;
    }

    /// <summary>The slots that may hold entries of a home: all of it, and of where it spilled to.</summary>
    private static ulong BucketsOf(Bucket home)
    {
        ulong buckets = 1UL << home.IndexInPage;
        buckets |= (ulong)home.StashBuckets << IndexPage.HomeCount;
        if (home.NeighbourCount != 0)
            buckets |= 1UL << IndexPage.NeighbourIndexOf(home.IndexInPage);
        return buckets;
    }

    private int GatherHome(Bucket home, byte keyspace, ref byte[] keys)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        var wait = default(SpinWait);
        int length;
        for (int attempts = 0; attempts < LockAttemptsMax; attempts++)
        {
            uint version = _state.Lock(home);
            length = 0;
            bool isWhole = true;
            for (ulong buckets = BucketsOf(home); isWhole && buckets != 0; buckets &= buckets - 1)
            {
                var bucket = home.Page[BitOperations.TrailingZeroCount(buckets)];
                bool isHome = bucket.Equals(home);
                uint bucketVersion = 0;
                isWhole = isHome || bucket.TryLock(out bucketVersion);
                if (isWhole)
                    GatherFrom(bucket, home, keyspace, ref keys, ref length);
                if (isWhole && !isHome)
                    bucket.Unlock(bucketVersion, changed: false);
            }

            home.Unlock(version, changed: false);
            if (isWhole)
                return length;
            _state.Wait(ref wait);
        }

        // All of the page, in the order of addresses, so that no other thread is in the way.
        Span<uint> versions = stackalloc uint[IndexPage.BucketCount];
        LockAll(home.Page, versions);
        length = 0;
        for (ulong buckets = BucketsOf(home); buckets != 0; buckets &= buckets - 1)
            GatherFrom(home.Page[BitOperations.TrailingZeroCount(buckets)], home, keyspace, ref keys, ref length);
        UnlockAll(home.Page, versions);
        return length;
    }

    private void GatherFrom(Bucket bucket, Bucket home, byte keyspace, ref byte[] keys, ref int length)
    {
        int generation = _generations.Of(keyspace);
        var now = _state.Clock.Now;
        for (int slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
        {
            ulong entry = bucket.EntryAt(slot);
            if (entry == 0 || Bucket.GenerationOf(entry) != generation)
                continue;
            var record = _records[entry];
            var header = record.Header;
            if (header.Keyspace != keyspace || record.ExpiryOf(header).IsPast(now.StoreMs, now.UnixMs)
                || IndexPage.HomeIndexOf(_state.HashOf(record)) != home.IndexInPage)
            {
                continue;
            }

            Append(record.KeyOf(header), header.Kind, ref keys, ref length);
        }
    }

    private static void Append(ReadOnlySpan<byte> key, EntryKind kind, ref byte[] keys, ref int length)
    {
        Debug.Assert(key.Length <= EntryKey.LengthMax, "Its length has two bytes.");
        int needed = length + GatheredPrefix + key.Length;
        if (needed > keys.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(needed * 2);
            keys.AsSpan(0, length).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(keys);
            keys = larger;
        }

        BinaryPrimitives.WriteUInt16LittleEndian(keys.AsSpan(length), (ushort)key.Length);
        keys[length + KindOffset] = (byte)kind;
        key.CopyTo(keys.AsSpan(length + GatheredPrefix));
        length = needed;
    }
}
