namespace Cache.Concurrency.Tests.Torture;

/// <summary>The proof itself: what is wrong with a value is found.</summary>
public sealed class TortureValueTests
{
    [Theory]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(1_003)]
    public void Verify_AnyChangedByte_IsFound(int length)
    {
        byte[] value = new byte[length];
        TortureValue.Write(value, key: 17, sequence: 123_456);
        Assert.Equal(123_456, TortureValue.Verify(value, 17));

        for (int i = 0; i < length; i++)
        {
            value[i] ^= 0x40;
            Assert.Throws<InvalidDataException>(() => TortureValue.Verify(value, 17));
            value[i] ^= 0x40;
        }
    }

    [Fact]
    public void Verify_ForeignKey_IsFound()
    {
        byte[] value = new byte[64];
        TortureValue.Write(value, key: 17, sequence: 1);

        Assert.Throws<InvalidDataException>(() => TortureValue.Verify(value, 18));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(63)]
    [InlineData(65)]
    public void Verify_OtherLength_IsFound(int length)
    {
        byte[] value = new byte[128];
        TortureValue.Write(value.AsSpan(0, 64), key: 17, sequence: 1);

        Assert.Throws<InvalidDataException>(() => TortureValue.Verify(value.AsSpan(0, length), 17));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(512)]
    public void Verify_HalfOfTwoValues_IsFound(int cut)
    {
        byte[] older = new byte[1_024];
        byte[] newer = new byte[1_024];
        TortureValue.Write(older, key: 17, sequence: 1);
        TortureValue.Write(newer, key: 17, sequence: 2);
        newer.AsSpan(cut).CopyTo(older.AsSpan(cut));
        older.AsSpan(0, cut).CopyTo(newer);

        Assert.Throws<InvalidDataException>(() => TortureValue.Verify(newer, 17));
    }
}
