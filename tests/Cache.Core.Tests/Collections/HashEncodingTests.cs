using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>What is noted of a hash for OBJECT ENCODING, and its fields at random.</summary>
public sealed class HashEncodingTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(8, 8, false)]
    [InlineData(8, 9, true)]
    [InlineData(9, 8, true)]
    public void Set_OfALongFieldOrValue_IsNotedForGood(int fieldLength, int valueLength, bool isConverted)
    {
        Store.EncodingLimits = new EncodingLimits { HashFieldLength = 8 };

        Hash.Set(new byte[fieldLength], new byte[valueLength]);
        Assert.Equal(isConverted, IsConverted("h"));
        Hash.Set("f"u8, "v"u8);
        Hash.Remove(new byte[fieldLength]);

        Assert.Equal(isConverted, IsConverted("h"));
    }

    [Fact]
    public void Set_OfMoreFieldsThanTheLimit_IsNotedForGood()
    {
        Store.EncodingLimits = new EncodingLimits { HashFields = 2 };

        Hash.Increment("a"u8, 1, out _);
        Hash.Set("b"u8, "v"u8);
        Assert.False(IsConverted("h"));
        Hash.Increment("c"u8, 1, out _);
        Assert.True(IsConverted("h"));
        Hash.Remove("c"u8);

        Assert.True(IsConverted("h"));
        Hash.Remove("a"u8);
        Hash.Remove("b"u8);
        Hash.Set("a"u8, "v"u8);
        Assert.False(IsConverted("h"));
    }

    [Theory]
    [InlineData(40)]
    [InlineData(900)]
    public void GetRandom_OfFields_TakesEachAsOften(int fields)
    {
        for (int i = 0; i < fields; i++)
            Hash.Set(Bytes($"field {i}"), Bytes($"value {i}"));

        foreach (int wanted in (int[])[0, 1, fields / 3, fields - 1, fields, fields * 2])
        {
            var different = new FieldListSink();
            Assert.Equal(ReadStatus.Found, Hash.GetRandom(wanted, mayRepeat: false, ref different));
            Assert.Equal(Math.Min(wanted, fields), different.Count);
            Assert.Equal(different.Count, different.Fields.Distinct().Count());
            Assert.All(different.Fields, static each => Assert.Equal(each.Field[6..], each.Value[6..]));
        }

        var any = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetRandom(fields * 20L, mayRepeat: true, ref any));
        Assert.Equal(fields * 20, any.Fields.Count);
        Assert.InRange(any.Fields.Distinct().Count(), fields - 1, fields); // e^-20 of each is left out.
        Assert.InRange(any.Fields.CountBy(static each => each.Field).Max(static each => each.Value), 20, 100);
        var few = new FieldListSink { CountMax = 7 };
        Assert.Equal(ReadStatus.Found, Hash.GetRandom(long.MaxValue, mayRepeat: true, ref few));
        Assert.Equal((7, long.MaxValue), (few.Fields.Count, few.Count));
        var all = new FieldListSink { CountMax = 7 };
        Hash.GetAll(ref all);
        Assert.Equal(7, all.Fields.Count);
    }

    [Fact]
    public void GetRandom_OfNoHash_TellsNothing()
    {
        var sink = new FieldListSink();
        Assert.Equal(ReadStatus.NotFound, Hash.GetRandom(1, mayRepeat: false, ref sink));
        Store.Set("h"u8, "v"u8);
        Assert.Equal(ReadStatus.WrongType, Hash.GetRandom(1, mayRepeat: true, ref sink));
        Assert.Equal(-1, sink.Count);
    }

    private bool IsConverted(string key) => Store.TryPeekCollection(Bytes(key), out var info) && info.IsConverted;
}
