using Cache.Core.Curve;
using Cache.Testing;

namespace Cache.Core.Tests.Curve;

public class MiniatureTests
{
    private const int EntryBytes = 100;

    private readonly Miniature _miniature = new(promotionThreshold: 2, entriesMax: 1_000)
    {
        CapacityBytes = 10 * EntryBytes,
    };

    [Fact]
    public void Write_WithinTheCapacity_AllAreFound()
    {
        WriteAll(1, 10);

        Assert.Equal(10, _miniature.Count);
        Assert.All(Enumerable.Range(1, 10), key => Assert.True(Read(key)));
    }

    [Fact]
    public void Write_BeyondTheCapacity_TheOldestUnusedGo()
    {
        WriteAll(1, 15);

        Assert.Equal(10, _miniature.Count);
        Assert.Equal(Enumerable.Range(6, 10), Enumerable.Range(1, 15).Where(key => Read(key)));
    }

    [Fact]
    public void Write_BeyondTheCapacity_WhatWasUsedTwiceStays()
    {
        WriteAll(1, 10);
        Read(1);
        Read(1);
        Read(2);

        WriteAll(11, 10);

        Assert.True(Read(1));
        Assert.False(Read(2));
    }

    // As in the store: a small one needs a use less to stay, a long one needs one more.
    [Theory]
    [InlineData(40, 1, true)]
    [InlineData(40, 0, false)]
    [InlineData(EntryBytes, 1, false)]
    [InlineData(500, 2, false)]
    [InlineData(500, 3, true)]
    public void Write_BeyondTheCapacity_UsesCountByTheEntrysSize(long bytes, int uses, bool stays)
    {
        const int Key = 1_000;
        WriteAll(1, 20);
        _miniature.Write(Hash(Key), Entry(bytes));
        for (int i = 0; i < uses; i++)
            Read(Key);
        WriteAll(21, 10);

        Assert.Equal(stays, Read(Key));
    }

    // Of a large collection a use is one of an element.
    [Fact]
    public void Write_BeyondTheCapacity_OfACollectionTheSizeDoesNotCount()
    {
        const int Key = 1_000;
        WriteAll(1, 20);
        _miniature.Write(Hash(Key), Entry(500) with { IsPaged = true });
        Read(Key);
        Read(Key);
        WriteAll(21, 10);

        Assert.True(Read(Key));
    }

    // What the store had not, the application writes; here it had it, and would not.
    [Fact]
    public void Write_AfterAReadThatMissedInTheStore_IsNoSecondUse()
    {
        WriteAll(1, 10);
        Assert.True(_miniature.Read(Hash(1), nowMs: 0, isMiss: true));
        Write(1);
        Assert.True(_miniature.Read(Hash(2), nowMs: 0, isMiss: true));
        Write(2);
        Write(2); // This one is.

        WriteAll(11, 10);

        Assert.False(Read(1));
        Assert.True(Read(2));
    }

    // Two uses each, in main or not: what lies beyond the share goes first.
    [Theory]
    [InlineData(0.02, false)]
    [InlineData(0.9, true)]
    public void Write_WithAGivenShare_TheSmallListTakesIt(double share, bool isFound)
    {
        var miniature = new Miniature(promotionThreshold: 2, entriesMax: 1_000, share)
        {
            CapacityBytes = 10 * EntryBytes,
        };
        for (int key = 1; key <= 20; key++) // All but the last come to main, and leave it for new ones.
        {
            miniature.Write(Hash(key), Entry(EntryBytes));
            miniature.Read(Hash(key), nowMs: 0);
            miniature.Read(Hash(key), nowMs: 0);
        }

        for (int key = 100; key < 107; key++)
            miniature.Write(Hash(key), Entry(EntryBytes));

        Assert.Equal(isFound, miniature.Read(Hash(100), nowMs: 0));
    }

    [Fact]
    public void Write_OfAnEvictedKey_ItGoesToMainAndOutlastsNewOnes()
    {
        WriteAll(1, 11);
        Assert.False(Read(1));

        Write(1);
        WriteAll(20, 9);

        Assert.True(Read(1));
    }

    [Fact]
    public void Write_LongerThanTheCapacity_LeavesNothing()
    {
        _miniature.Write(Hash(1), Entry(11 * EntryBytes));

        Assert.Equal(0, _miniature.Count);
        Assert.False(Read(1));
    }

    // A value of a megabyte is nothing to a store of a gigabyte, but more than the part that a sample stands for.
    [Fact]
    public void Write_LongerThanTheCapacity_LeavesTheOthers()
    {
        WriteAll(1, 10);

        _miniature.Write(Hash(1), Entry(11 * EntryBytes));
        _miniature.Write(Hash(50), Entry(11 * EntryBytes));

        Assert.Equal(Enumerable.Range(2, 9), Enumerable.Range(1, 50).Where(key => Read(key)));
        Assert.False(_miniature.HasEvicted);
    }

    [Fact]
    public void Write_OfAnotherSize_CountsTheNewOne()
    {
        Write(1);
        _miniature.Write(Hash(1), Entry(5 * EntryBytes));
        WriteAll(2, 5);
        Assert.Equal(6, _miniature.Count);

        Write(7);

        Assert.True(_miniature.Count < 7);
    }

    [Fact]
    public void Write_MoreEntriesThanAllowed_SomeGo()
    {
        _miniature.CapacityBytes = long.MaxValue;

        WriteAll(1, 5_000);

        Assert.Equal(1_000, _miniature.Count);
        Assert.False(_miniature.HasEvicted); // Not for want of bytes: there may be room for all.
    }

    [Fact]
    public void Write_MoreEntriesThanAllowed_HasNodesForThemAndTheirGhosts()
    {
        var miniature = new Miniature(promotionThreshold: 2, entriesMax: 1_024) { CapacityBytes = long.MaxValue };

        for (int key = 0; key < 10_000; key++)
            miniature.Write(Hash(key), Entry(EntryBytes));

        Assert.Equal(2 * 1_024, miniature.NodeCount);
    }

    [Fact]
    public void Read_AfterTheExpiry_NoEntry()
    {
        _miniature.Write(Hash(1), Entry(EntryBytes) with { ExpiresAtMs = 50 });

        Assert.True(_miniature.Read(Hash(1), nowMs: 49));
        Assert.False(_miniature.Read(Hash(1), nowMs: 50));
        Assert.Equal(0, _miniature.Count);
    }

    [Fact]
    public void Read_OfASlidingEntry_RenewsItUpToItsEnd()
    {
        _miniature.Write(
            Hash(1), Entry(EntryBytes) with { ExpiresAtMs = 50, SlidingMs = 50, AbsoluteMs = 120 });

        Assert.True(_miniature.Read(Hash(1), nowMs: 40));
        Assert.True(_miniature.Read(Hash(1), nowMs: 80));
        Assert.True(_miniature.Read(Hash(1), nowMs: 119));
        Assert.False(_miniature.Read(Hash(1), nowMs: 120));
    }

    [Fact]
    public void Remove_AKey_OnlyItGoes()
    {
        WriteAll(1, 3);

        _miniature.Remove(Hash(2));
        _miniature.Remove(Hash(9));

        Assert.Equal([1, 3], Enumerable.Range(1, 3).Where(key => Read(key)));
    }

    [Fact]
    public void Clear_AKeyspace_OthersStay()
    {
        _miniature.Write(Hash(1), Entry(EntryBytes) with { Keyspace = 3 });
        Write(2);

        _miniature.Clear(1U << 3);

        Assert.False(Read(1));
        Assert.True(Read(2));
    }

    [Fact]
    public void Keep_AHalf_TheOthersAreForgotten()
    {
        WriteAll(0, 10);

        _miniature.Keep(shift: 1);

        Assert.Equal([1, 3, 5, 7, 9], Enumerable.Range(0, 10).Where(key => Read(key)));
    }

    /// <summary>Whatever is done, what is found was written and neither removed nor over.</summary>
    [Fact]
    public void AnyOrder_OfAllOperations_AgreesWithTheKeysThatMayBeThere() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var written = new Dictionary<int, long>();
        for (int now = 0; now < 20_000; now++)
        {
            int key = random.Next(60);
            switch (random.Next(20))
            {
                case 0:
                    _miniature.Remove(Hash(key));
                    written.Remove(key);
                    break;
                case 1:
                    _miniature.CapacityBytes = random.Next(5, 20) * EntryBytes;
                    break;
                case 2 when random.Next(50) == 0:
                    _miniature.Clear(1);
                    written.Clear();
                    break;
                case < 8:
                    long expiresAtMs = random.Next(2) == 0 ? 0 : now + random.Next(1, 100);
                    _miniature.Write(Hash(key), Entry(random.Next(8, 400)) with { ExpiresAtMs = expiresAtMs });
                    written[key] = expiresAtMs;
                    break;
                default:
                    if (_miniature.Read(Hash(key), now))
                        Assert.True(written.TryGetValue(key, out long expires) && (expires == 0 || expires > now));
                    break;
            }
        }
    });

    // Keys that differ in the bits by which the sample chooses, and in those of the table.
    private static ulong Hash(int key) => ((ulong)(uint)key << 2) | ((ulong)(uint)key * 0x9E3779B1 << 32);

    private static SampledEntry Entry(long bytes) => new(bytes, 0, 0, 0, 0, false);

    private bool Read(int key) => _miniature.Read(Hash(key), nowMs: 1);

    private void Write(int key) => _miniature.Write(Hash(key), Entry(EntryBytes));

    private void WriteAll(int first, int count)
    {
        for (int key = first; key < first + count; key++)
            Write(key);
    }
}
