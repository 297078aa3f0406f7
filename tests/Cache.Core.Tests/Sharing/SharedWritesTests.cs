using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Cache.Core.Curve;
using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Sharing;

/// <summary>Which lines of memory an operation writes: those that other cores then have to fetch again.</summary>
/// <remarks>
/// The store's memory, native and managed, is compared before and after; what differs was written. docs/scale.md has
/// the same counts. That a read does not even write what is there already: <see cref="ProtectedReadsTests"/>.
/// </remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed partial class SharedWritesTests
{
    private const int HourMs = 3_600_000;
    private const int ValueLength = 64;
    private const int RecordLinesMax = 3;

    [Theory]
    [MemberData(nameof(StoreReads.Names), MemberType = typeof(StoreReads))]
    public void Read_InSteadyState_WritesItsThreadsCounterAlone(string name)
    {
        using var reads = new StoreReads(name);
        reads.Run();

        string[] changed = Changes(reads.Store, reads.Run);

        Assert.Equal([name == StoreReads.Miss ? "counter of misses" : "counter of hits"], changed);
    }

    [Fact]
    public void Read_OfAKeyThatIsUsedForTheFirstTime_WritesItsBucketToo()
    {
        using var fixture = Filled(default);
        fixture.Set("key", "value");

        string[] changed = Changes(fixture.Store, () => fixture.Get("key"));

        Assert.Equal(["1 line of the index", "counter of hits"], changed);
    }

    [Fact]
    public void Read_OfASampledKey_WritesTheRingToo()
    {
        using var fixture = Filled(default);
        fixture.Store.State.Counters.Samples.Start(shift: 0);

        string[] changed = Changes(fixture.Store, () => fixture.Get("key:3"));

        Assert.Equal(["counter of hits", "sample", "sample's tail"], changed);
    }

    [Fact]
    public void Read_OfTwoThreads_CountsOnLinesOfTheirOwn()
    {
        using var fixture = Filled(default);
        var before = StoreImage.Of(fixture.Store);

        StoreReads.OnThreadOf(0, () => fixture.Get("key:3"));
        StoreReads.OnThreadOf(1, () => fixture.Get("key:3"));

        int[] stripes = [.. StoreImage.Of(fixture.Store).ChangedSince(before)
            .Select(static path => StripeOfHits().Match(path)).Where(static match => match.Success)
            .Select(static match => int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture)).Order()];
        var stripe = typeof(ReadCounters).GetNestedType("Stripe", BindingFlags.NonPublic)!;
        int size = stripe.StructLayoutAttribute!.Size;
        int used = stripe.GetFields().Max(static field =>
            field.GetCustomAttribute<FieldOffsetAttribute>()!.Value + sizeof(long));
        Assert.Equal(2, stripes.Length);
        Assert.True(stripes[0] > 0, "The first stripe is on the line of the array's length.");
        Assert.True(size - used >= StoreImage.LineBytes, $"{size - used} bytes are between two threads' counts.");
    }

    [Fact]
    public async Task HybridHit_InSteadyState_WritesItsThreadsCountersAlone()
    {
        using var fixture = Filled(default);
        var cache = new StoreHybridCache(fixture.Store, new HybridStoreOptions());
        await cache.SetAsync("text", "value", cancellationToken: TestContext.Current.CancellationToken);
        await cache.SetAsync("bytes", new byte[9], cancellationToken: TestContext.Current.CancellationToken);
        for (int i = 0; i < 4; i++)
            Hit();

        string[] changed = Changes([fixture.Store, cache], Hit);

        Assert.Equal(["counter of hits", "hybrid counter", "hybrid counter"], changed);

        void Hit()
        {
            Assert.NotNull(Read<string>("text"));
            Assert.NotNull(Read<byte[]>("bytes"));
        }

        T Read<T>(string key) =>
            cache.GetOrCreateAsync<T>(key, static _ => throw new InvalidOperationException()).Result;
    }

    [Fact]
    public void HybridCounters_OfTheFirstStripe_AreNotOnTheLineOfTheLength()
    {
        var counters = new HybridCounters();
        var before = StoreImage.Of(counters);

        StoreReads.OnThreadOf(0, () => counters.Count(HybridCounter.ReadyHit));

        string changed = Assert.Single(StoreImage.Of(counters).ChangedSince(before), static path => !IsOfOthers(path));
        int index = int.Parse(changed.AsSpan(changed.IndexOf('[') + 1).TrimEnd(']'), CultureInfo.InvariantCulture);
        Assert.True(index * sizeof(long) >= StoreImage.LineBytes, changed);
    }

    [Fact]
    public void Set_WritesTheLinesThatThePageSays()
    {
        using var plain = Filled(default);
        using var timed = Filled(new EntryOptions { ExpiresAtMs = StoreReads.NowMs(HourMs) });
        byte[] value = StoreFixture.Filled(ValueLength, 0xEE);
        var later = new EntryOptions { ExpiresAtMs = StoreReads.NowMs(2 * HourMs) };

        // The record of 96 bytes lies on two lines or on three.
        Assert.Equal(
            ["1 line of the index", "few lines of records"],
            Changes(plain.Store, () => plain.Store.Set(StoreFixture.Bytes("key:3"), value)));
        Assert.Equal(
            ["1 line of the index", "few lines of records"],
            Changes(timed.Store, () => timed.Store.Set(StoreFixture.Bytes("key:3"), value, later)));
        Assert.Equal(
            ["1 line of segments", "1 line of the index", "active segment", "count of keys", "few lines of records"],
            Changes(plain.Store, () => plain.Store.Set(StoreFixture.Bytes("new"), value)));
        Assert.Equal(
            ["1 line of segments", "1 line of the index", "count of keys", "few lines of records"],
            Changes(plain.Store, () => plain.Store.Remove(StoreFixture.Bytes("key:5"))));
    }

    private static StoreFixture Filled(EntryOptions options) => StoreReads.Filled(options);

    private static string[] Changes(CacheStore store, Action action) => Changes([store], action);

    /// <summary>What an action changes, in short names.</summary>
    private static string[] Changes(object[] roots, Action action)
    {
        StoreImage.Of(roots); // Looking at static fields makes them, once.
        var before = StoreImage.Of(roots);
        action();
        var changed = StoreImage.Of(roots).ChangedSince(before).Where(static path => !IsOfOthers(path)).ToList();
        var lines = changed.Select(LineOf).Where(static region => region is not null).CountBy(static region => region!)
            .Select(static of => of is { Key: "records", Value: <= RecordLinesMax }
                ? "few lines of records"
                : $"{of.Value} line{(of.Value > 1 ? "s" : "")} of {of.Key}");
        var fields = changed.Where(static path => LineOf(path) is null).Select(FieldOf);
        return [.. lines.Concat(fields).Order(StringComparer.Ordinal)];
    }

    // Of stores that other tests left: finalizers count, and a thread renews their clocks; and of the bounds-checked
    // twin, which remembers where a thread has looked.
    private static bool IsOfOthers(string path) =>
        path.StartsWith("NativeReservation._closed", StringComparison.Ordinal)
        || path.StartsWith("ClockTicker._clocks", StringComparison.Ordinal)
        || path.StartsWith("AddressCheck._ranges", StringComparison.Ordinal);

    private static string? LineOf(string path) =>
        !path.Contains(" line ", StringComparison.Ordinal) ? null
        : path.Contains("<Index>", StringComparison.Ordinal) ? "the index"
        : path.Contains("_segments._records", StringComparison.Ordinal) ? "records"
        : path.Contains("_segments._infos", StringComparison.Ordinal) ? "segments"
        : path;

    private static string FieldOf(string path) =>
        StripeOfHits().IsMatch(path) ? "counter of hits"
        : path.EndsWith("].Misses", StringComparison.Ordinal) ? "counter of misses"
        : path.Contains("._active[", StringComparison.Ordinal) ? "active segment"
        : path.Contains("._countByGeneration[", StringComparison.Ordinal) ? "count of keys"
        : path.Contains("._samples._slots[", StringComparison.Ordinal) ? "sample"
        : path.EndsWith("._samples._positions.Tail", StringComparison.Ordinal) ? "sample's tail"
        : path.Contains("StoreHybridCache._counters._counts[", StringComparison.Ordinal) ? "hybrid counter"
        : path;

    [GeneratedRegex(@"\._stripes\[(\d+)\]\.Hits$")]
    private static partial Regex StripeOfHits();
}
