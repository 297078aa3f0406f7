using System.Runtime.CompilerServices;
using Cache.Core.Log;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>When compressing, or a dictionary, is given up.</summary>
public sealed partial class CompressionTests
{
    // What stays plain because it is used most gives no room, and is not copied in the hope of it.
    [Fact]
    public void Cold_WhereAllIsUsedMost_DoesNotPayOff()
    {
        using var fixture = Limited(ValueCompression.Cold);
        Churn(fixture, used: 1_000, rounds: 30, reads: 5);

        AssertStays(fixture, 1_000, out int packed);
        Assert.InRange(packed, 0, 300);
        Assert.False(fixture.Store.DoesPackingPayOff());
    }

    [Fact]
    public void Off_OnceNoValueIsCompressed_ForgetsTheDictionary()
    {
        using var fixture = Limited(ValueCompression.All);
        Train(fixture);
        fixture.Set("held", Text(1));
        fixture.Store.Compress(Bytes("held"));
        Assert.Equal((1, 1), fixture.Store.Dictionaries());
        fixture.Store.Compression = ValueCompression.Off;
        fixture.Clock.Advance(200);
        Assert.Equal(1, fixture.Store.Dictionaries().Count); // Values need it.

        fixture.Store.ClearAll();
        for (int i = 0; i < 100; i++)
            fixture.Clock.Advance(200);

        Assert.Equal(0, fixture.Store.GetStatistics().CompressedCount);
        Assert.Equal((0, 0), fixture.Store.Dictionaries());
    }

    [Fact]
    public void All_LimitBecomesTooLowForADictionary_ForgetsIt()
    {
        using var fixture = Limited(ValueCompression.All);
        Train(fixture);
        fixture.Store.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
        for (int round = 0; round < 20 && fixture.Store.Dictionaries().Count != 0; round++)
        {
            Churn(fixture, used: 2_000, rounds: 4, reads: 4);
            fixture.Clock.Advance(200);
        }

        Assert.Equal((0, 0), fixture.Store.Dictionaries());
    }

    // It was put back half-way: the rest of it was not looked at.
    [Fact]
    public void Sweep_OfASegmentThatIsBeingCompressed_LeavesTheRestToBe()
    {
        using var fixture = Limited(ValueCompression.All);
        var state = StateOf(fixture.Store);
        int keys = 0;
        while (state.Budget.HasRoomFor(state.Log.SpareBytes + 2L * state.Log.SegmentBytes)) // As the pace has it.
            fixture.Set($"key:{keys}", Text(keys++), new EntryOptions { IsMain = true });
        state.Reclaimer.Sweep();
        int before = UnpackedSegments(state);

        state.Reclaimer.Pace(bytes: 1, keptHash: 0);
        Assert.Equal(before - 1, UnpackedSegments(state));
        state.Reclaimer.Sweep();

        Assert.Equal(before, UnpackedSegments(state));
    }

    private static int UnpackedSegments(StoreState state)
    {
        int count = 0;
        for (int segment = 1; segment < state.Log.Frontier; segment++)
        {
            var stream = (LogStream)state.Log[segment].Stream;
            bool isWhole = state.Log.IsWhole(segment) || (stream & LogStream.Moved) != 0;
            count += isWhole && (stream & (LogStream.Main | LogStream.Moved)) == LogStream.Main ? 1 : 0;
        }

        return count;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);
}
