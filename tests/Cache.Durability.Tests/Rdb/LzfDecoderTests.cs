using System.Text;
using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

public sealed class LzfDecoderTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("00 61", "a")]
    [InlineData("04 68656C6C6F", "hello")]
    [InlineData("00 61 20 00 00 62", "aaaab")]
    [InlineData("01 6162 60 01 00 63", "abababac")]
    [InlineData("00 61 E0 01 00 00 62", "aaaaaaaaaaab")]
    public void TryDecode_BlockByHand_IsRead(string block, string value)
    {
        byte[] target = new byte[value.Length];

        Assert.True(LzfDecoder.TryDecode(FromHex(block), target));
        Assert.Equal(value, Encoding.ASCII.GetString(target));
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("00", 1)] // The literal is missing.
    [InlineData("01 61", 2)]
    [InlineData("01 6162", 1)] // It does not fit.
    [InlineData("00 61 20", 4)] // The offset is missing.
    [InlineData("00 61 E0 01", 11)]
    [InlineData("00 61 20 01", 4)] // Before the beginning.
    [InlineData("20 00", 3)]
    [InlineData("00 61 20 00", 3)] // The match does not fit.
    [InlineData("00 61 20 00", 5)] // Shorter than the target.
    public void TryDecode_NoBlock_IsRefused(string block, int length) =>
        Assert.False(LzfDecoder.TryDecode(FromHex(block), new byte[length]));

    [Fact]
    public void TryDecode_Noise_StaysInside() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 100_000; i++)
        {
            byte[] noise = new byte[random.Next(32)];
            random.NextBytes(noise);
            byte[] target = new byte[random.Next(128) + 32];
            target.AsSpan().Fill(0xA5);

            LzfDecoder.TryDecode(noise, target.AsSpan(16..^16));

            Assert.False(target.AsSpan(0, 16).ContainsAnyExcept((byte)0xA5));
            Assert.False(target.AsSpan(target.Length - 16).ContainsAnyExcept((byte)0xA5));
        }
    });

    private static byte[] FromHex(string hex) => Convert.FromHexString(hex.Replace(" ", ""));
}
