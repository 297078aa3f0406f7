using System.Text;
using Cache.Core.Distributed;

namespace Cache.Core.Tests.Distributed;

public sealed class Utf8KeyTests
{
    // Around a vector block, its half, the stack's bound and a third of it.
    private const int LengthMax = 300;

    [Fact]
    public void Bytes_AsciiOfEveryLength_AreThoseOfTheEncoding()
    {
        for (int length = 0; length <= LengthMax; length++)
            AssertEncodes(Ascii(length));
    }

    [Theory]
    [InlineData("\u007f")]
    [InlineData("\u0080")]
    [InlineData("\u00ff")]
    [InlineData("\u0100")]
    [InlineData("\u20ac")]
    [InlineData("\uff41")]
    [InlineData("\U0001f600")]
    public void Bytes_AnotherCharacterAtEveryPosition_AreThoseOfTheEncoding(string character)
    {
        for (int position = 0; position <= 40; position++)
            AssertEncodes(Ascii(position) + character + Ascii(40 - position));
    }

    [Theory]
    [InlineData("a")]
    [InlineData("ä")]
    [InlineData("€")]
    public void Bytes_LongKeys_AreThoseOfTheEncoding(string character)
    {
        foreach (int length in (int[])[85, 86, 256, 257, 1_000, 21_845])
            AssertEncodes(string.Concat(Enumerable.Repeat(character, length)));
    }

    [Fact]
    public void Bytes_LongestKey_IsTaken() => AssertEncodes(Ascii(CacheStore.KeyLengthMax));

    private static string Ascii(int length) =>
        string.Create(length, 0, static (span, _) =>
        {
            for (int i = 0; i < span.Length; i++)
                span[i] = (char)('!' + (i % 90));
        });

    private static void AssertEncodes(string key)
    {
        Span<byte> scratch = stackalloc byte[Utf8Key.StackBytes];
        scratch.Fill(0xEE);
        using var utf8Key = new Utf8Key(key, scratch);
        Assert.Equal(Encoding.UTF8.GetBytes(key), utf8Key.Bytes.ToArray());
    }
}
