using Cache.Core.Curve;
using Cache.Testing;

namespace Cache.Core.Tests.Curve;

/// <summary>The choice of the small list's share, with given hashes: each key's follows from its number.</summary>
public class ShareTrialsTests
{
    private const int EntryBytes = 100;
    private const int Capacity = 400;

    private readonly ShareTrials _trials = new(promotionThreshold: 2);
    private readonly Random _random = new(1);
    private int _newest = 1_000_000;

    [Fact]
    public void Choice_WhileAllFits_IsNotKnown()
    {
        for (int i = 0; i < 20_000; i++)
            Request(_random.Next(Capacity / 2));

        Assert.Null(_trials.Choice);
    }

    // As a large store is loaded: thousands of new keys between two looks.
    [Fact]
    public void Choice_WhileThousandsOfKeysComeAtOnceAndAllFit_IsNotKnown()
    {
        for (int look = 0; look < 20; look++)
        {
            _trials.Fit(1L << 40, shiftMin: 0);
            for (int i = 0; i < 4_096; i++)
            {
                ulong hash = HashOf(_newest++);
                if (!_trials.IsSampled(hash))
                    continue;
                _trials.Write(hash, Entry());
                _trials.Read(hash, nowMs: 0, isMiss: false);
            }

            _trials.Choose();
        }

        Assert.Null(_trials.Choice);
    }

    // One of them is more than a miniature holds, and in the store it is a hundredth.
    [Fact]
    public void Choice_OfKeysThatAreUsedWhileTheyAreNewBesideLargeValues_IsALargeShare()
    {
        for (int i = 0; i < 60_000; i++)
        {
            if (i % 20 == 0)
                Write(-1 - i % 400 / 20, new SampledEntry(2 * Capacity * EntryBytes, 0, 0, 0, 0, false));
            RequestRecent(1);
        }

        Assert.InRange(_trials.Choice!.Value, 0.6, 0.9);
    }

    // What comes back does so soon, and after that never: a main list keeps it in vain.
    [Fact]
    public void Choice_OfKeysThatAreUsedWhileTheyAreNew_IsALargeShare()
    {
        RequestRecent(30_000);

        Assert.InRange(_trials.Choice!.Value, 0.6, 0.9);
    }

    // Most keys come once: a small list that is large keeps these.
    [Fact]
    public void Choice_OfFewHotKeysAmongNewOnes_IsASmallShare()
    {
        RequestHot(30_000);

        Assert.InRange(_trials.Choice!.Value, 0.02, 0.1);
    }

    [Fact]
    public void Choice_AfterAnotherPhase_FollowsIt()
    {
        RequestHot(30_000);
        RequestRecent(100_000);
        Assert.InRange(_trials.Choice!.Value, 0.6, 0.9);

        RequestHot(100_000);
        Assert.InRange(_trials.Choice!.Value, 0.02, 0.1);
    }

    // All shares answer the same but for chance, over five hundred comparisons.
    [Fact]
    public void Choice_WhereTheShareIsAllTheSame_SeldomChanges()
    {
        int changes = 0;
        double? last = null;
        for (int i = 0; i < 200_000; i++)
        {
            Request(_random.Next(2 * Capacity));
            changes += _trials.Choice == last ? 0 : 1;
            last = _trials.Choice;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{changes} changes");
        Assert.InRange(changes, 1, 25);
    }

    [Fact]
    public void Fit_OfManyKeys_TriesAPartOfThem()
    {
        for (int i = 0; i < 200_000; i++)
            Request(_random.Next(50_000), capacity: 50_000);

        Assert.InRange(_trials.Shift, 5, 7); // 50,000 keys in parts of 512 to 1,024.
        for (int i = 0; i < 200_000; i++)
            Request(1_000_000 + _random.Next(1_000), capacity: 500);
        Assert.InRange(_trials.Shift, 0, 2); // 500 / 4 are enough.
    }

    [Fact]
    public void Fit_OfASmallerSampleOfTheOwner_TriesNoMoreThanThat()
    {
        _trials.Fit(Capacity * EntryBytes, shiftMin: 3);

        Assert.Equal(3, _trials.Shift);
        Assert.True(_trials.IsSampled(0b11100));
        Assert.False(_trials.IsSampled(0b10100));
    }

    [Fact]
    public void Remove_AndClear_AreMissesOfAllShares()
    {
        _trials.Fit(Capacity * EntryBytes, shiftMin: 0);
        _trials.Write(HashOf(1), Entry());
        _trials.Write(HashOf(2), Entry());
        Assert.Equal(0U, _trials.Read(HashOf(1), nowMs: 0, isMiss: false));

        _trials.Remove(HashOf(1));
        _trials.Clear(keyspaces: 1);

        Assert.Equal(0b111111U, _trials.Read(HashOf(1), nowMs: 0, isMiss: false));
        Assert.Equal(0b111111U, _trials.Read(HashOf(2), nowMs: 0, isMiss: false));
    }

    // With a use less they come into main, where they are never used, and push out long ones that are.
    [Fact]
    public void CountsSizes_WhereSmallEntriesAreReadOnceMoreAndNeverAgain_BecomesFalse()
    {
        RequestOnceMore(300_000);

        Assert.False(_trials.CountsSizes);
    }

    [Fact]
    public void CountsSizes_WhereLongEntriesAreNoMoreUsedThanSmallOnes_StaysTrue()
    {
        for (int i = 0; i < 10; i++)
        {
            RequestOfTwoSizes(20_000);
            Assert.True(_trials.CountsSizes);
        }
    }

    [Fact]
    public void CountsSizes_AfterAnotherPhase_FollowsIt()
    {
        RequestOnceMore(300_000);
        Assert.False(_trials.CountsSizes);

        RequestOfTwoSizes(400_000);
        Assert.True(_trials.CountsSizes);
    }

    private void RequestOnceMore(int count)
    {
        foreach (int key in ReadOnceMore.Requests(_random, count, longKeys: 25_000))
            Request(key, Entry(key < ReadOnceMore.SmallFirst ? 1_028 : 48), capacity: (4 << 20) / EntryBytes);
    }

    private void RequestOfTwoSizes(int count)
    {
        for (int i = 0; i < count; i++)
        {
            double place = _random.NextDouble();
            int key = (int)(place * place * 8 * Capacity);
            Request(key, Entry(key % 4 == 0 ? 16 * EntryBytes : EntryBytes / 2));
        }
    }

    private void RequestRecent(int count)
    {
        for (int i = 0; i < count; i++)
        {
            bool isNew = _random.Next(100) < 45;
            Request(isNew ? _newest++ : _newest - 1 - _random.Next((int)(1.2 * Capacity)));
        }
    }

    private void RequestHot(int count)
    {
        for (int i = 0; i < count; i++)
        {
            double place = _random.NextDouble();
            Request(_random.Next(2) == 0 ? _newest++ : (int)(place * place * 3 * Capacity));
        }
    }

    // As the estimator does for a store that has every key.
    private void Request(int key, int capacity = Capacity) => Request(key, Entry(), capacity);

    private void Request(int key, in SampledEntry entry, int capacity = Capacity)
    {
        ulong hash = HashOf(key);
        _trials.Fit((long)capacity * EntryBytes, shiftMin: 0);
        if (_trials.IsSampled(hash))
        {
            uint missing = _trials.Read(hash, nowMs: 0, isMiss: false);
            _trials.Write(hash, entry, missing);
        }

        _trials.Choose();
    }

    private void Write(int key, in SampledEntry entry)
    {
        if (_trials.IsSampled(HashOf(key)))
            _trials.Write(HashOf(key), entry);
    }

    private static SampledEntry Entry(int bytes = EntryBytes) => new(bytes, 0, 0, 0, 0, false);

    private static ulong HashOf(int key) => AccessSamples.HashOf((ulong)key * 0x9E3779B97F4A7C15 ^ (ulong)key << 40);
}
