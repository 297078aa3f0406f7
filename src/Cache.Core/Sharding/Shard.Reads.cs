using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Reads without a lock.</summary>
internal sealed partial class Shard
{
    // Longer than any value.
    public const int NothingLent = int.MaxValue;

    /// <summary>
    /// Copies a value of the common kind straight from its home bucket; all else goes the slower way.
    /// </summary>
    /// <remarks>
    /// Kept apart from the general read: locals that are handed on by reference would live on the stack throughout.
    /// </remarks>
    public ReadStatus Read<TSink>(ReadOnlySpan<byte> key, ulong hash, byte keyspace, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        Read(key, hash, keyspace, ref sink, NothingLent, out _);

    /// <summary>As the other, but references a block with at least this many bytes, and copies none.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="keyspace">Its keyspace.</param>
    /// <param name="sink">Takes a value that is not lent.</param>
    /// <param name="lentLengthMin">The length in bytes from which on a block is lent.</param>
    /// <param name="lent">The block, whose reference the caller gives back; null if the value was copied.</param>
    public ReadStatus Read<TSink>(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ref TSink sink, int lentLengthMin, out LargeBlock lent)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (!TryCopyPlain(key, hash, keyspace, ref sink, out var read))
            return ReadElsewhere(key, hash, keyspace, ref sink, lentLengthMin, out lent);
        lent = default;
        read.Home.Touch(read.Slot);
        sink.Advance(read.Length);
        _state.Counters.Hit(hash);
        return ReadStatus.Found;
    }

    /// <summary>Copies a plain value from its home bucket into the sink's span; the sink is not told yet.</summary>
    /// <returns>False if it is not there, or not plain, or a writer was: the general read knows.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The whole of nearly every read.
    public bool TryCopyPlain<TSink>(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ref TSink sink, out PlainRead read)
        where TSink : struct, IValueSink, allows ref struct
    {
        read = default;
        read.Home = HomeOf(hash);
        read.Version = read.Home.ReadVersion();
        uint matches = read.Home.Match(Bucket.TagOf(hash, _generations.Of(keyspace)));
        if (matches == 0 || (read.Version & 1) != 0)
            return false;
        read.Slot = BitOperations.TrailingZeroCount(matches);
        var record = _records[read.Home.EntryAt(read.Slot)];
        record.PrefetchNextLine();
        var header = record.Header;
        if (!header.IsPlain(RecordHeader.KeyPatternOf(key.Length, keyspace)) || !record.KeyEquals(key)
            || (header.IsExpiring && !IsLiveAsItIs(record, header))
            || !read.Home.IsAt(read.Version)) // From here on the lengths can be trusted.
        {
            return false;
        }

        var value = record.ValueOf(header);
        value.CopyTo(sink.GetSpan(value.Length));
        read.Length = value.Length;
        return read.Home.IsAt(read.Version);
    }

    /// <summary>Copies a part of a value, with what else is known of the entry.</summary>
    public ReadStatus Read<TSink>(in EntryKey key, ByteRange bytes, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var status = Copy(key, bytes, ref sink, out var snapshot);
        info = InfoOf(snapshot);
        Note(key, snapshot, status);
        if (status == ReadStatus.Found)
            sink.Advance(snapshot.CopiedLength);
        return status;
    }

    /// <summary>The same, but counts and renews nothing.</summary>
    public ReadStatus Peek<TSink>(in EntryKey key, ByteRange bytes, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        var status = Copy(key, bytes, ref sink, out var snapshot);
        info = InfoOf(snapshot);
        if (status == ReadStatus.Found)
            sink.Advance(snapshot.CopiedLength);
        return status;
    }

    /// <summary>What is known of an entry of any kind.</summary>
    public bool TryGetInfo(in EntryKey key, bool touch, out EntryInfo info)
    {
        var nothing = default(NoSink);
        var status = Copy(key, ByteRange.None, ref nothing, out var snapshot);
        info = InfoOf(snapshot);
        if (touch)
            Note(key, snapshot, status);
        return status != ReadStatus.NotFound;
    }

    /// <summary>Copies a part of a value into the sink's span; the sink is not told yet.</summary>
    /// <returns>
    /// NotFound if there is no live entry: the snapshot's version then stands for its absence. WrongType if it is no
    /// string: the snapshot tells what it is, and the sink was not asked for anything.
    /// </returns>
    public ReadStatus Copy<TSink>(in EntryKey key, ByteRange bytes, ref TSink sink, out ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct =>
        Copy(key, bytes, ref sink, NothingLent, out snapshot);

    private ReadStatus Copy<TSink>(
        in EntryKey key, ByteRange bytes, ref TSink sink, int lentLengthMin, out ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (key.Locks is { } locks)
            return CopyHeld(locks, key, bytes, ref sink, lentLengthMin, out snapshot);
        var wait = default(SpinWait);
        for (int attempts = 0; attempts < ReadAttemptsMax; attempts++)
        {
            if (CopyOnce(key, bytes, ref sink, lentLengthMin, out snapshot) is { } status)
                return status;
            WaitForWriter(snapshot, ref wait);
        }

        return CopyLocked(key, bytes, ref sink, lentLengthMin, out snapshot);
    }

    /// <returns>Null if a writer was there: try again.</returns>
    public ReadStatus? CopyOnce<TSink>(
        in EntryKey key, ByteRange bytes, ref TSink sink, int lentLengthMin, out ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        var found = TryFind(key, out snapshot);
        if (found == true)
            return TryCopyFound(key, bytes, ref sink, lentLengthMin, ref snapshot) ? snapshot.FoundStatus : null;
        return found is null ? null : ReadStatus.NotFound;
    }

    /// <summary>Waits for a writer that a read met, for a bounded step.</summary>
    /// <remarks>Not for the end of its lock: once it changes nothing any more, the next attempt reads.</remarks>
    public void WaitForWriter(in ReadSnapshot snapshot, ref SpinWait wait)
    {
        do
            _state.Wait(ref wait);
        while (snapshot.Home.IsChanging || snapshot.Holder.IsChanging);
    }

    /// <summary>Counts a read, and renews what a read renews.</summary>
    /// <remarks>What is of another kind was there and was meant: it counts as Redis counts it.</remarks>
    public void Note(in EntryKey key, in ReadSnapshot snapshot, ReadStatus status)
    {
        if (status == ReadStatus.NotFound)
        {
            _state.Counters.Miss(key.Hash);
            return;
        }

        _state.Counters.Hit(key.Hash);
        snapshot.Holder.Touch(snapshot.Slot);
        if (snapshot.Header.IsSliding && IsRenewalDue(snapshot.Expiry))
            Slide(key);
    }

    // Inlined, its locals would live on the stack of the hot method, and be zeroed there by each read.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReadStatus ReadElsewhere<TSink>(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ref TSink sink, int lentLengthMin, out LargeBlock lent)
        where TSink : struct, IValueSink, allows ref struct =>
        Read(new EntryKey(key, keyspace, hash), ref sink, lentLengthMin, out lent);

    /// <summary>The same by the general way.</summary>
    public ReadStatus Read<TSink>(in EntryKey key, ref TSink sink, int lentLengthMin, out LargeBlock lent)
        where TSink : struct, IValueSink, allows ref struct
    {
        var status = Copy(key, ByteRange.All, ref sink, lentLengthMin, out var snapshot);
        lent = snapshot.Lent;
        try
        {
            Note(key, snapshot, status);
        }
        catch // The store was disposed: the caller never gets the lent block.
        {
            if (!lent.IsNull)
                _state.Return(lent);
            throw;
        }

        if (status == ReadStatus.Found && lent.IsNull)
            sink.Advance(snapshot.CopiedLength);
        return status;
    }

    /// <returns>Null if a writer was there: try again.</returns>
    private bool? TryFind(in EntryKey key, out ReadSnapshot snapshot)
    {
        snapshot = default;
        snapshot.Generation = _generations.Of(key.Keyspace);
        var page = PageOf(key.Hash);
        snapshot.Home = page.HomeOf(key.Hash);
        snapshot.Holder = snapshot.Home;
        snapshot.HomeVersion = snapshot.Home.ReadVersion();
        if ((snapshot.HomeVersion & 1) != 0)
            return null;
        if (TryFindIn(snapshot.Home, snapshot.HomeVersion, key, ref snapshot))
            return true;
        if (!snapshot.Home.HasNoSpill)
        {
            var found = TryFindSpilled(key, page, ref snapshot);
            if (found != false)
                return found;
        }

        // The entry may have been elsewhere when it was looked for there; then the home was written.
        return snapshot.Home.IsAt(snapshot.HomeVersion) && PageOf(key.Hash).Equals(page) ? false : null;
    }

    private bool? TryFindSpilled(in EntryKey key, IndexPage page, ref ReadSnapshot snapshot)
    {
        for (ulong wanted = snapshot.Home.SpillBuckets; wanted != 0; wanted &= wanted - 1)
        {
            var bucket = page[BitOperations.TrailingZeroCount(wanted)];
            uint version = bucket.ReadVersion();
            if ((version & 1) != 0)
            {
                snapshot.Holder = bucket; // The bucket to wait for.
                return null;
            }

            if (TryFindIn(bucket, version, key, ref snapshot))
                return true;
        }

        return false;
    }

    private bool TryFindIn(Bucket bucket, uint version, in EntryKey key, ref ReadSnapshot snapshot)
    {
        int slot = FindSlot(bucket, key, snapshot.Generation, out var record, out var header);
        if (slot == 0)
            return false;
        snapshot.Holder = bucket;
        snapshot.HolderVersion = version;
        snapshot.Slot = slot;
        snapshot.Record = record;
        snapshot.Header = header;
        return true;
    }

    /// <summary>The slot of a key's entry in a bucket, or 0; a guess until the versions were compared.</summary>
    private int FindSlot(
        Bucket bucket, in EntryKey key, int generation, out Record record, out RecordHeader header)
    {
        ulong pattern = RecordHeader.KeyPatternOf(key.Bytes.Length, key.Keyspace);
        uint matches = bucket.Match(Bucket.TagOf(key.Hash, generation));
        for (; matches != 0; matches &= matches - 1)
        {
            int slot = BitOperations.TrailingZeroCount(matches);
            record = _records[bucket.EntryAt(slot)];
            header = record.Header;
            if (header.HasKeyPattern(pattern) && record.KeyEquals(key.Bytes))
                return slot;
        }

        record = default;
        header = default;
        return 0;
    }

    /// <summary>Copies the string that was found, if it still is the key's.</summary>
    private bool TryCopyFound<TSink>(
        in EntryKey key, ByteRange bytes, ref TSink sink, int lentLengthMin, ref ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        var header = snapshot.Header;
        snapshot.Expiry = snapshot.Record.ExpiryOf(header);
        if (!snapshot.IsValid) // From here on the lengths can be trusted.
            return false;
        if (header.IsExpiring && HasPassed(snapshot.Expiry))
        {
            RemoveIfExpired(key);
            return false;
        }

        if (header.IsString)
            return TryCopyBytes(bytes, ref sink, lentLengthMin, ref snapshot);
        if (header.IsPaged)
            snapshot.Object = ObjectStub.Read(snapshot.Record.ValueOf(header)); // Valid if what follows is.
        var nothing = default(NoSink);
        return TryCopyBytes(ByteRange.None, ref nothing, NothingLent, ref snapshot);
    }

    private bool TryCopyBytes<TSink>(ByteRange bytes, ref TSink sink, int lentLengthMin, ref ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        var header = snapshot.Header;
        if (header.IsLarge)
            return TryCopyLarge(bytes, ref sink, lentLengthMin, ref snapshot);
        if (header.IsCompressed && header.IsString)
            return TryCopyPacked(bytes, ref sink, ref snapshot);
        Debug.Assert(!snapshot.Record.IsNull);
        snapshot.Length = header.ValueLength;
        var (offset, length) = bytes.Within(snapshot.Length);
        snapshot.CopiedLength = length;
        snapshot.Record.ValueOf(header).Slice(offset, length).CopyTo(sink.GetSpan(length));
        return snapshot.IsValid;
    }

    /// <summary>Copies a large value without the lock, by a reference that was taken under it, or lends that.</summary>
    private bool TryCopyLarge<TSink>(
        ByteRange bytes, ref TSink sink, int lentLengthMin, ref ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (!snapshot.Home.TryLockAt(snapshot.HomeVersion))
            return false;
        LargeBlock block;
        bool isLent;
        try
        {
            // No thread moves or removes the entry now: that needs this lock.
            block = LargeBlock.ReadStub(snapshot.Record.ValueOf(snapshot.Header));
            Debug.Assert(!block.IsNull, "A large value has a block.");
            snapshot.Length = block.Length;
            snapshot.BlockBytes = block.SizeBytes;
            isLent = snapshot.Length >= lentLengthMin;
            if (isLent)
                _state.Shares.Lend(block); // There may be no memory to note it.
            block.AddReference();
        }
        finally
        {
            snapshot.Home.Unlock(snapshot.HomeVersion, changed: false);
        }

        if (isLent)
        {
            snapshot.Lent = block;
            return true;
        }

        try
        {
            var (offset, length) = bytes.Within(snapshot.Length);
            snapshot.CopiedLength = length;
            block.Value.Slice(offset, length).CopyTo(sink.GetSpan(length));
            return true;
        }
        finally
        {
            _state.Release(block);
        }
    }

    /// <summary>Takes nothing: for reads of what is known beside the value.</summary>
    private readonly struct NoSink : IValueSink
    {
        public Span<byte> GetSpan(int length) => default;

        public void Advance(int length)
        {
        }
    }
}
