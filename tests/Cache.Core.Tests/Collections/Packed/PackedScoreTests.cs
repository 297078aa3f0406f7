using Cache.Core.Collections.Packed;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Packed;

public sealed class PackedScoreTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(-0.0, 8)]
    [InlineData(1, 1)]
    [InlineData(127, 1)]
    [InlineData(128, 2)]
    [InlineData(-128, 1)]
    [InlineData(-129, 2)]
    [InlineData(32_768, 3)]
    [InlineData(8_388_607, 3)]
    [InlineData(8_388_608, 4)]
    [InlineData(1_700_000_000_000, 6)]
    [InlineData(9_007_199_254_740_992, 7)]
    [InlineData(9_007_199_254_740_994, 8)]
    [InlineData(0.5, 8)]
    [InlineData(double.PositiveInfinity, 8)]
    [InlineData(double.NegativeInfinity, 8)]
    [InlineData(double.MaxValue, 8)]
    [InlineData(double.Epsilon, 8)]
    public void Write_AScore_TakesAsManyBytesAsItNeeds(double score, int length)
    {
        Assert.Equal(length, WriteAndRead(score));
    }

    [Fact]
    public void WriteAndRead_AnyScore_IsTheSame() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 10_000; i++)
        {
            double score = BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue));
            WriteAndRead(double.IsNaN(score) ? 0 : score);
            WriteAndRead(random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64));
        }
    });

    [Fact]
    public void TryRead_OfNoScore_Refuses()
    {
        Assert.False(PackedScore.TryRead(new byte[9], out _));
        Assert.False(PackedScore.TryRead(BitConverter.GetBytes(double.NaN), out _));
    }

    private static int WriteAndRead(double score)
    {
        Span<byte> bytes = stackalloc byte[PackedScore.LengthMax];
        int length = PackedScore.Write(score, bytes);
        Assert.True(PackedScore.TryRead(bytes[..length], out double read));
        Assert.Equal(BitConverter.DoubleToInt64Bits(score), BitConverter.DoubleToInt64Bits(read));
        return length;
    }
}
