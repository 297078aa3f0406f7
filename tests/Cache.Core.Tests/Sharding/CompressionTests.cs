using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Which values are compressed, when, and what becomes of their dictionaries.</summary>
public sealed partial class CompressionTests
{
    private const long LimitBytes = 2 << 20;

    // The limit is kept within two percent.
    private const long LimitAndSlackBytes = LimitBytes + LimitBytes / 50;

    // So many used values that they are more than the store can keep, compressed or not.
    private const int Overflowing = 24_000;

    [Fact]
    public void Off_UnderEviction_CompressesNothing()
    {
        using var fixture = Limited(ValueCompression.Off);
        Churn(fixture, used: 2_000, rounds: 30, reads: 3);

        var statistics = fixture.Store.GetStatistics();
        Assert.True(statistics.Evictions > 1_000);
        Assert.Equal((0, 0, 0), (statistics.CompressedCount, statistics.CompressedBytes, statistics.CompressionTries));
    }

    [Theory]
    [InlineData(ValueCompression.All)]
    [InlineData(ValueCompression.Cold)]
    public void Set_BeforeTheLimitIsMet_CompressesNothing(ValueCompression mode)
    {
        using var fixture = Limited(mode);
        for (int i = 0; i < 2_000; i++)
        {
            fixture.Set($"key:{i}", Text(i));
            fixture.Get($"key:{i}");
            fixture.Get($"key:{i}");
        }

        fixture.Clock.Advance(10_000);
        var statistics = fixture.Store.GetStatistics();
        Assert.Equal((2_000, 0, 0), (statistics.Count, statistics.Evictions, statistics.CompressionTries));
    }

    [Fact]
    public void All_UnderEviction_CompressesWhatStays()
    {
        using var fixture = Limited(ValueCompression.All);
        Churn(fixture, used: 1_000, rounds: 30, reads: 3);

        AssertStays(fixture, 1_000, out int packed);
        Assert.InRange(packed, 900, 1_000);
        Assert.InRange(fixture.Store.GetStatistics().MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
    }

    [Fact]
    public void All_EntriesInTheSmallList_AreNot()
    {
        using var fixture = Limited(ValueCompression.All);
        Churn(fixture, used: 1_000, rounds: 30, reads: 3);
        for (int i = 0; i < 100; i++)
            fixture.Set($"new:{i}", Text(i));

        for (int i = 0; i < 100; i++)
            Assert.Null(fixture.Store.CodecOf(Bytes($"new:{i}")));
    }

    [Fact]
    public void Cold_UnderEviction_LeavesWhatIsUsedMostAsItIs()
    {
        using var fixture = Limited(ValueCompression.Cold);
        for (int i = 0; i < 500; i++)
        {
            fixture.Set($"hot:{i}", Text(i));
            fixture.Set($"cold:{i}", Text(i));
            for (int read = 0; read < 5; read++)
                fixture.Get($"{(read < 2 ? "cold" : "hot")}:{i}");
        }

        for (int round = 0; round < 30; round++)
            Flood(fixture, round, 1_000);

        for (int i = 0; i < 500; i++)
        {
            Assert.Null(fixture.Store.CodecOf(Bytes($"hot:{i}")));
            Assert.NotNull(fixture.Store.CodecOf(Bytes($"cold:{i}")));
            Assert.Equal((Text(i), Text(i)), (fixture.Get($"hot:{i}"), fixture.Get($"cold:{i}")));
        }
    }

    // What is kept overflows main, so that all of it has its turn.
    [Theory]
    [InlineData(ValueCompression.Cold, true)]
    [InlineData(ValueCompression.Off, true)]
    [InlineData(ValueCompression.All, false)]
    public void Mode_ThatIsLower_UnpacksWhatIsUsedAtItsTurn(ValueCompression mode, bool unpacks)
    {
        using var fixture = Limited(ValueCompression.All);
        Churn(fixture, Overflowing, rounds: 4, reads: 4);
        AssertWhole(fixture, Overflowing, out int there, out int before);
        Assert.InRange(before, there * 6 / 10, there);

        fixture.Store.Compression = mode;
        Churn(fixture, Overflowing, rounds: 4, reads: 4);

        AssertWhole(fixture, Overflowing, out there, out int after);
        Assert.InRange(there, 3_000, Overflowing);
        Assert.InRange(after, unpacks ? 0 : there * 6 / 10, unpacks ? there * 6 / 10 : there);
        Assert.InRange(fixture.Store.GetStatistics().MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
    }

    [Fact]
    public void All_ValuesThatDoNotBecomeShorter_AreTriedSeldomAndStay()
    {
        using var fixture = Limited(ValueCompression.All);
        var random = new Random(1);
        byte[][] values = [.. Enumerable.Range(0, 1_000).Select(_ =>
        {
            byte[] value = new byte[700];
            random.NextBytes(value);
            return value;
        })];
        for (int round = 0; round < 40; round++)
        {
            for (int i = 0; i < values.Length; i++)
            {
                if (round == 0)
                    fixture.Store.Set(Bytes($"key:{i}"), values[i]);
                for (int read = 0; read < 3; read++)
                    Assert.Equal(values[i], fixture.Store.GetArray(Bytes($"key:{i}")) ?? values[i]);
            }

            Flood(fixture, round, 600);
        }

        var statistics = fixture.Store.GetStatistics();
        Assert.Equal(0, statistics.CompressedCount);
        Assert.InRange(statistics.CompressionTries, 16, 1_000);
    }

    // Of all lengths that lie in records, and with every kind of expiry.
    [Fact]
    public void All_ValuesOfAllLengths_KeepValueAndExpiry()
    {
        using var fixture = new StoreFixture(static options =>
        {
            options.MemoryLimitBytes = 16 << 20;
            options.ShardCount = 1;
            options.Compression = ValueCompression.All;
        });
        int[] lengths = [0, 1, 23, 24, 25, 100, 127, 128, 1_000, 1_024, 1_025, 4_000, 8_000, 8_170, 20_000, 100_000];
        string TextOf(int i, int length) => string.Concat(Enumerable.Repeat(Text(i), length / 50 + 1))[..length];
        EntryOptions OptionsOf(int i) => (i % 3) switch
        {
            0 => default,
            1 => ExpiringAt(fixture.NowMs + 1_000_000),
            _ => Sliding(1_000_000, fixture.NowMs + 2_000_000),
        };
        for (int round = 0; round < 30; round++)
        {
            for (int i = 0; i < lengths.Length * 3; i++)
            {
                string key = $"key:{i}";
                string value = TextOf(i, lengths[i / 3]);
                if (round == 0)
                    fixture.Set(key, value, OptionsOf(i));
                for (int read = 0; read < 3; read++)
                    Assert.Equal(value, fixture.Get(key));
                var info = fixture.Peek(key)!.Value;
                Assert.Equal((i % 3 != 0, i % 3 == 2), (info.ExpiresAtMs != 0, info.SlidingMs != 0));
            }

            Flood(fixture, round, 3_000);
        }

        int packed = Enumerable.Range(0, lengths.Length * 3)
            .Count(i => fixture.Store.CodecOf(Bytes($"key:{i}")) is not null);
        Assert.InRange(packed, 5 * 3, (lengths.Length - 5) * 3); // Neither too short nor in blocks.
    }

    [Fact]
    public void Dictionary_OnceManyShortValuesStay_IsMadeAndCounted()
    {
        using var fixture = Limited(ValueCompression.All);
        Train(fixture);

        Assert.Equal((1, 1), fixture.Store.Dictionaries());
        Churn(fixture, Overflowing, rounds: 4, reads: 3);
        AssertWhole(fixture, Overflowing, out int there, out int packed);
        Assert.InRange(packed, there * 8 / 10, there);
        var statistics = fixture.Store.GetStatistics();
        Assert.True(statistics.CompressedBytes * 2 < statistics.CompressedValueBytes);
        Assert.InRange(statistics.MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
    }

    [Fact]
    public void Dictionary_InAStoreThatIsSmall_IsNotMade()
    {
        using var fixture = new StoreFixture(static options =>
        {
            options.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
            options.Compression = ValueCompression.All;
        });
        for (int i = 0; i < 5; i++)
        {
            Churn(fixture, used: 400, rounds: 20, reads: 3);
            fixture.Clock.Advance(200);
            fixture.Store.AwaitTraining();
        }

        Assert.Equal((0, 0), fixture.Store.Dictionaries());
    }

    // Readers of a value know its dictionary until none needs it; then its number is free, and its bytes go.
    [Fact]
    public void Dictionary_ThatIsOld_StaysWhileAValueNeedsItAndNoLonger()
    {
        using var fixture = Limited(ValueCompression.All);
        Train(fixture);
        Churn(fixture, Overflowing, rounds: 6, reads: 3);
        Assert.NotEqual(0, CountOf(fixture, codec: 1));

        fixture.Store.UseDictionary(Bytes(Text(3) + Text(4)));
        fixture.Clock.Advance(200);
        Assert.Equal((2, 2), fixture.Store.Dictionaries());
        AssertWhole(fixture, Overflowing, out _, out _);
        for (int i = 0; i < 10 && fixture.Store.Dictionaries().Count == 2; i++)
        {
            Assert.NotEqual(0, CountOf(fixture, codec: 1));
            Churn(fixture, Overflowing, rounds: 3, reads: 3);
            fixture.Clock.Advance(200);
        }

        Assert.Equal((2, 1), fixture.Store.Dictionaries());
        Assert.Equal(0, CountOf(fixture, codec: 1));
        Assert.NotEqual(0, CountOf(fixture, codec: 2));
        AssertWhole(fixture, Overflowing, out _, out _);
    }

    // Of values that have nothing in common with those that the first one was made from.
    [Fact]
    public void Dictionary_OnceNewValuesCompressWorse_IsFollowedByAnother()
    {
        using var fixture = Limited(ValueCompression.All);
        Train(fixture);
        Churn(fixture, Overflowing, rounds: 2, reads: 3);
        Assert.Equal((1, 1), fixture.Store.Dictionaries());

        for (int round = 0; round < 20 && fixture.Store.Dictionaries().Current == 1; round++)
        {
            for (int i = 0; i < Overflowing; i++)
            {
                if (!fixture.Store.Contains(Bytes($"other:{i}")))
                    fixture.Set($"other:{i}", Other(i));
                fixture.Get($"other:{i}");
                fixture.Get($"other:{i}");
            }

            fixture.Clock.Advance(200);
            fixture.Store.AwaitTraining();
            fixture.Clock.Advance(200);
        }

        Assert.Equal(2, fixture.Store.Dictionaries().Current);
        Assert.All(
            Enumerable.Range(0, Overflowing), i => Assert.Equal(Other(i), fixture.Get($"other:{i}") ?? Other(i)));
    }

    // By a writer that makes room: what is thrown there under a lock keeps its bucket for ever.
    [Theory]
    [InlineData(1)] // For the copy of a value.
    [InlineData(2)] // For what is made of it.
    public void All_WithoutMemoryToCompress_LeavesValuesAsTheyAre(int nth)
    {
        using var fixture = Limited(ValueCompression.All);
        WithoutMemory(nth, () => Churn(fixture, used: 1_000, rounds: 10, reads: 3));

        AssertWhole(fixture, 1_000, out int there, out int packed);
        Assert.Equal(0, packed);
        Assert.InRange(there, 500, 1_000);
        Churn(fixture, used: 1_000, rounds: 20, reads: 3);
        AssertWhole(fixture, 1_000, out there, out packed);
        Assert.InRange(packed, there * 8 / 10, there);
    }

    // By the timer of the sweep: what is thrown there ends the process.
    [Fact]
    public void Sweep_WithoutMemoryToMakeADictionary_GoesOnWithoutOne()
    {
        using var fixture = Limited(ValueCompression.All);
        WithoutMemory(nth: 1, () => Train(fixture));
        Assert.Equal((0, 0), fixture.Store.Dictionaries());

        fixture.Clock.Advance(200);
        Churn(fixture, Overflowing, rounds: 2, reads: 3);
        fixture.Clock.Advance(200);
        fixture.Store.AwaitTraining();
        fixture.Clock.Advance(200);
        Assert.Equal((1, 1), fixture.Store.Dictionaries());
    }

    // What was written to main itself is copied before anything goes only if it becomes shorter.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void All_OfValuesThatAreTooShort_CopiesNoneInTheHopeOfRoom(bool isShort)
    {
        using var fixture = Limited(ValueCompression.All);
        for (int round = 0; round < 6; round++)
        {
            for (int i = 0; i < 60_000; i++)
            {
                if (!fixture.Store.Contains(Bytes($"key:{i}")))
                    fixture.Set($"key:{i}", isShort ? Text(i)[..16] : Text(i));
                fixture.Get($"key:{i}");
                fixture.Get($"key:{i}");
            }
        }

        Assert.True(fixture.Store.GetStatistics().Evictions > 10_000);
        Assert.Equal(!isShort, fixture.Store.DoesPackingPayOff());
    }

    // What is written while a value is compressed must not be lost, nor come back.
    [Theory]
    [InlineData("overwritten")]
    [InlineData("removed")]
    [InlineData("cleared")]
    public void Value_ThatChangesWhileItIsCompressed_IsWhatWasWritten(string change)
    {
        const int keys = 300;
        using var fixture = Limited(ValueCompression.All);
        var expected = new string?[keys];
        int changes = 0;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.ValueTaken)
                Change(fixture, change, expected, changes++);
        });
        try
        {
            for (int round = 0; round < 10; round++)
            {
                for (int i = 0; i < keys; i++)
                {
                    if (round < 5 && fixture.Get($"key:{i}") is null)
                        fixture.Set($"key:{i}", expected[i] = Text(i));
                    fixture.Get($"key:{i}");
                    fixture.Get($"key:{i}");
                }

                Flood(fixture, round, change == "cleared" ? 10_000 : 1_000);
                for (int i = 0; i < keys; i++)
                    Assert.Equal(fixture.Get($"key:{i}") is null ? null : expected[i], fixture.Get($"key:{i}"));
            }
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.InRange(changes, 10, int.MaxValue);
    }

    // Without any room, since the reclaimer is at work.
    private static void Change(StoreFixture fixture, string change, string?[] expected, int number)
    {
        if (change == "cleared" && number % 40 == 0 && fixture.Store.TryClear())
            Array.Clear(expected);
        for (int i = 0; i < expected.Length && change != "cleared"; i++)
        {
            byte[] key = Bytes($"key:{i}");
            if (expected[i] is null || !fixture.Store.Contains(key) || fixture.Store.CodecOf(key) is not null)
                continue;
            if (change == "removed" && i % 16 == number % 16)
            {
                Assert.True(fixture.Store.Remove(key));
                expected[i] = null;
            }
            else if (change == "overwritten")
            {
                expected[i] = Text(i)[..^9] + $"{number,9}";
                fixture.Store.SetRange(key, Text(i).Length - 9, Bytes($"{number,9}"), out _);
            }
        }
    }

    private static StoreFixture Limited(ValueCompression mode) => new(options =>
    {
        options.MemoryLimitBytes = LimitBytes;
        options.Compression = mode;
    });

    private static string Text(int i) =>
        $"{{\"id\":{i},\"name\":\"customer {i * 7919L % 100_003}\",\"city\":\"Springfield\",\"state\":\"open\"," +
        $"\"items\":[{{\"sku\":\"A-{i * 31 % 977}\",\"count\":{i % 7}}},{{\"sku\":\"B-{i * 17 % 991}\"}}]," +
        $"\"note\":\"{new string((char)('a' + i % 26), 40)}\"}}";

    private static string Other(int i) =>
        $"<order number='{i}'><buyer>{i * 104729L % 99_991}</buyer><lines>" +
        $"<line part='{i * 13 % 997}' pieces='{i % 9}'/>" +
        $"<line part='{i * 29 % 983}' pieces='{i % 5}'/></lines><total currency='EUR'>{i * 37 % 9_973}</total></order>";

    private static void Churn(StoreFixture fixture, int used, int rounds, int reads)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < used; i++)
                Use(fixture, $"key:{i}", i, reads);
            Flood(fixture, round, 1_000);
        }
    }

    private static void Use(StoreFixture fixture, string key, int i, int reads)
    {
        if (!fixture.Store.Contains(Bytes(key)))
            fixture.Set(key, Text(i));
        for (int read = 0; read < reads; read++)
            fixture.Get(key);
    }

    private static void Flood(StoreFixture fixture, int round, int count)
    {
        for (int i = 0; i < count; i++)
        {
            var options = i % 2 == 0 ? default : ExpiringAt(fixture.NowMs + 1_000_000);
            Assert.Equal(WriteStatus.Done, fixture.Set($"flood:{round}:{i}", new string('f', 400), options));
        }
    }

    private static void Train(StoreFixture fixture)
    {
        Flood(fixture, round: -1, 3_000);
        fixture.Clock.Advance(200);
        Churn(fixture, used: 3_000, rounds: 12, reads: 3);
        fixture.Clock.Advance(200);
        fixture.Store.AwaitTraining();
        fixture.Clock.Advance(200);
    }

    private static void WithoutMemory(int nth, Action action)
    {
        int count = 0;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.PackingNeedsMemory && ++count % nth == 0)
                throw new OutOfMemoryException();
        });
        try
        {
            action();
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.InRange(count, 1, int.MaxValue);
    }

    private static int CountOf(StoreFixture fixture, int codec) =>
        Enumerable.Range(0, Overflowing).Count(i => fixture.Store.CodecOf(Bytes($"key:{i}")) == codec);

    // Those that were used often are there, as they were written.
    private static void AssertStays(StoreFixture fixture, int used, out int packed)
    {
        AssertWhole(fixture, used, out int there, out packed);
        Assert.InRange(there, used * 9 / 10, used);
    }

    private static void AssertWhole(StoreFixture fixture, int used, out int there, out int packed)
    {
        there = 0;
        packed = 0;
        for (int i = 0; i < used; i++)
        {
            packed += fixture.Store.CodecOf(Bytes($"key:{i}")) is not null ? 1 : 0;
            if (fixture.Get($"key:{i}") is not { } value)
                continue;
            there++;
            Assert.Equal(Text(i), value);
        }

        fixture.Store.AssertValid();
    }
}
