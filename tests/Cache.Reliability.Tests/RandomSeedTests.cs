using Cache.Testing;

namespace Cache.Reliability.Tests;

/// <summary>The seeds themselves: given, pinned, fresh, and reported.</summary>
public sealed class RandomSeedTests
{
    [Fact]
    public void SeedsOf_NoneGiven_ArePinnedOnesAndAFreshOne()
    {
        var seeds = RandomSeed.SeedsOf(typeof(RandomSeedTests), nameof(Pinned), given: null);

        Assert.Equal([3, 5], seeds.Take(2));
        Assert.Equal(3, seeds.Count);
    }

    [Fact]
    public void SeedsOf_OneGiven_IsThatAlone() =>
        Assert.Equal([7], RandomSeed.SeedsOf(typeof(RandomSeedTests), nameof(Pinned), given: "7"));

    [Fact]
    public async Task RunAsync_Failing_NamesTheSeedAndTheCommand()
    {
        int seen = 0;
        var failure = await Assert.ThrowsAsync<SeededFailureException>(() => RandomSeed.RunAsync(this, seed =>
        {
            seen = seed;
            throw new InvalidOperationException("What went wrong.");
        }));

        Assert.StartsWith("What went wrong.", failure.Message, StringComparison.Ordinal);
        Assert.Contains(
            $"CACHE_TEST_SEED={seen} dotnet run --project tests/Cache.Reliability.Tests -- "
            + $"-method {typeof(RandomSeedTests).FullName}.{nameof(RunAsync_Failing_NamesTheSeedAndTheCommand)}",
            failure.Message, StringComparison.Ordinal);
        Assert.Contains($"[PinnedSeeds({seen})]", failure.Message, StringComparison.Ordinal);
    }

    [PinnedSeeds(3, 5)]
    private static void Pinned()
    {
    }
}
