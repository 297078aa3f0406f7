using Cache.Core.Hybrid;
using Cache.Testing;

namespace Cache.Core.Tests.Hybrid;

public sealed class StoredValueTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(100, 3)]
    [InlineData(0, 1024)]
    public void Trailer_ComesBack(int payloadLength, int tagCount)
    {
        ulong[] tags = [.. Enumerable.Range(0, tagCount).Select(i => ulong.MaxValue - (ulong)i)];
        byte[] value = Create(payloadLength, tags);
        var stored = StoredValue.Read(value);
        Assert.True(stored.IsStamped);
        Assert.Equal(value[..payloadLength], stored.Payload.ToArray());
        Assert.Equal((123, 456, ValueFlags.Utf16), (stored.Stamp, stored.FreshUntilMs, stored.Flags));
        Assert.Equal(tags, stored.CopyTags());
    }

    [Fact]
    public void Anything_IsReadWithoutFault() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] whole = Create(40, [1, 2]);
        for (int i = 0; i < 10_000; i++)
        {
            byte[] value = [.. whole[random.Next(whole.Length)..]];
            if (value.Length > 0 && random.Next(2) == 0)
                value[random.Next(value.Length)] ^= (byte)(1 << random.Next(8));
            var stored = StoredValue.Read(value);
            Assert.True(stored.Payload.Length <= value.Length);
            if (!stored.IsStamped)
                Assert.Equal(value, stored.Payload.ToArray());
        }
    });

    [Fact]
    public void ValueWithSomethingBehindItsTrailer_IsPlain()
    {
        byte[] appended = [.. Create(3, []), 0];
        Assert.False(StoredValue.Read(appended).IsStamped);
        Assert.False(StoredValue.LooksStamped(appended));
    }

    private static byte[] Create(int payloadLength, ulong[] tags)
    {
        var value = new byte[payloadLength + StoredValue.TrailerLength(tags.Length)];
        value.AsSpan(0, payloadLength).Fill(7);
        StoredValue.WriteTrailer(
            value.AsSpan(payloadLength), payloadLength, stamp: 123, freshUntilMs: 456, ValueFlags.Utf16, tags);
        return value;
    }
}
