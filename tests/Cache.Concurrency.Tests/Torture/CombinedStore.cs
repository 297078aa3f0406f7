using System.Globalization;
using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Core.Layout;
using Cache.Core.Log;
using Cache.Core.Sharding;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>The store of the combined torture, with its keys, and what must be true of it.</summary>
/// <remarks>
/// The first keys are neighbours: they have one home bucket, and spill. Keyspace 0 has values that prove themselves and
/// an owner for each key; keyspace 1 has values of one repeated byte or zeros, which any thread changes in parts.
/// </remarks>
internal sealed class CombinedStore : IDisposable
{
    public const int HotKeys = 16;
    public const int LargeKeysFrom = KeyCount - 80;
    public const int PatternLengthMax = 600_000;

    private const int KeyCount = 4_000;
    private const int PatternKeys = 12;
    private const byte PatternByte = 0x5A;
    private const int PrefixBits = 58; // Enough for the neighbours to stay in one page when pages are split.
    private const long LimitMax = 48 << 20;
    private const long LimitMin = 12 << 20;

    // Beyond the limit: pages that are not full, what is kept ready, what threads write where it will stay, and what
    // they made room for but have not counted yet.
    private const double ResidentRatioMax = 1.2;
    private const long ResidentSlackBytes = 16 << 20;

    private static readonly byte[] _pattern = Enumerable.Repeat(PatternByte, PatternLengthMax).ToArray();

    private readonly byte[][] _patternKeys =
        [.. Enumerable.Range(0, PatternKeys).Select(static i => BitConverter.GetBytes(i))];

    private readonly HashSet<string> _names;
    private long _limit = LimitMax;

    public CombinedStore()
    {
        Store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = LimitMax, Eviction = EvictionPolicy.AllEntries, KeyspaceCount = 2 });
        Patterns = Store.SelectKeyspace(1);
        var others = Enumerable.Range(HotKeys, KeyCount - HotKeys).Select(TortureKeys.NameOf);
        Keys = new TortureKeys([.. FindNeighbours(), .. others]);
        _names = [.. Enumerable.Range(0, KeyCount).Select(key => Convert.ToHexString(Keys[key]))];
    }

    public static ReadOnlySpan<byte> Pattern => _pattern;

    public CacheStore Store { get; }

    public CacheStore Patterns { get; }

    public TortureKeys Keys { get; }

    private StoreState State => StateOf(Store);

    public static void AssertPattern(byte[]? value)
    {
        if (value is not null && value.AsSpan().ContainsAnyExcept(PatternByte, (byte)0))
            throw new InvalidDataException("A value has bytes that nobody wrote.");
    }

    public bool IsKey(byte[]? name) => name is not null && _names.Contains(Convert.ToHexString(name));

    public byte[] PatternKey(Random random) => _patternKeys[random.Next(PatternKeys)];

    public void Dispose() => Store.Dispose();

    /// <summary>Gives the store another limit, which holds from then on.</summary>
    public void ChangeLimit(Random random)
    {
        _limit = random.NextInt64(LimitMin, LimitMax);
        Store.MemoryLimitBytes = _limit;
        AssertLimit();
    }

    public void Clear(Random random)
    {
        if (random.Next(2) == 0)
            Patterns.Clear();
        else
            Keys.Clear(random.Next(2) == 0 ? Store.ClearAll : Store.Clear);
    }

    /// <summary>What the store counts is within the limit, but for what is lent.</summary>
    public void AssertLimit()
    {
        long used = Store.GetStatistics().MemoryBytes;
        long allowed = _limit + _limit / 50 + State.Shares.LentBytes;
        if (used > allowed)
            throw new InvalidOperationException($"{used} bytes are used, of {_limit}.");
    }

    /// <summary>So is what the system counts, nearly.</summary>
    public long AssertResident()
    {
        if (!OperatingSystem.IsLinux())
            return 0; // Nothing tells there what is resident.
        long lent = State.Shares.LentBytes;
        long resident = ReadResident(State);
        if (resident > ResidentRatioMax * _limit + lent + ResidentSlackBytes)
            throw new InvalidOperationException($"{resident} bytes are resident, of {_limit}; lent: {lent}.");
        return resident;
    }

    /// <summary>The store is whole, and empties without a rest. Nobody uses it any more.</summary>
    public void AssertWhole()
    {
        Store.Validate();
        Assert.Equal(0, State.Reclaimer.UnprovenRefusals);
        Store.ClearAll();
        State.Cleared.Free();
        Store.Validate();
        Assert.Equal((0, 0, 0), (State.EntryCount, State.BlockBytes, State.Shares.LentBytes));
        // A thread of the pool may have a run in its hands that goes back to the system.
        Assert.True(
            SpinWait.SpinUntil(() => State.Heap.OutCount == 0, TimeSpan.FromSeconds(60)), "A run is still out.");
    }

    /// <summary>After its end, and with nothing lent any more, nothing of the store's memory is held.</summary>
    public void AssertGone()
    {
        // If a thread stood still under a lock, the end of the disposal is left to the pool.
        Assert.True(
            SpinWait.SpinUntil(() => State.BlockBytes == 0 && State.Heap.OutCount == 0, TimeSpan.FromSeconds(60)),
            $"{State.BlockBytes} bytes in blocks, {State.Heap.OutCount} runs of the heap are out.");
    }

    private IEnumerable<byte[]> FindNeighbours()
    {
        ulong wanted = Store.BeginPrefetch(TortureKeys.NameOf(0)).Value;
        int found = 0;
        for (int i = KeyCount; found < HotKeys; i++)
        {
            byte[] name = BitConverter.GetBytes(i);
            ulong hash = Store.BeginPrefetch(name).Value;
            if (hash >> PrefixBits != wanted >> PrefixBits
                || IndexPage.HomeIndexOf(hash) != IndexPage.HomeIndexOf(wanted))
            {
                continue;
            }

            found++;
            yield return name;
        }
    }

    // By the system's count of each mapping, so that what else the process has does not matter.
    private static long ReadResident(StoreState state)
    {
        var heap = ReservationOf(state.Heap);
        var records = RecordsOf(SegmentsOf(state.Log));
        var index = ReservationOf(state.Index);
        long kilobytes = 0;
        bool isOurs = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            int dash = line.IndexOf('-', StringComparison.Ordinal);
            if (char.IsAsciiHexDigitLower(line[0]) && dash > 0)
            {
                ulong start = ulong.Parse(line.AsSpan(0, dash), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                var rest = line.AsSpan(dash + 1);
                ulong end = ulong.Parse(
                    rest[..rest.IndexOf(' ')], NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                isOurs = heap.Overlaps(start, end) || records.Overlaps(start, end) || index.Overlaps(start, end);
            }
            else if (isOurs && line.StartsWith("Rss:", StringComparison.Ordinal))
            {
                kilobytes += long.Parse(
                    line.AsSpan(4).TrimEnd("kB "), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
            }
        }

        return kilobytes << 10;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_reservation")]
    private static extern ref NativeReservation ReservationOf(PageHeap heap);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_reservation")]
    private static extern ref NativeReservation ReservationOf(IndexMemory index);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_segments")]
    private static extern ref SegmentMemory SegmentsOf(RecordLog log);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_records")]
    private static extern ref NativeReservation RecordsOf(SegmentMemory segments);
}
