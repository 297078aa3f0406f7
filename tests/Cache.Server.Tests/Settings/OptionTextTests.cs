using System.Text;
using Cache.Server.Settings;
using Cache.Testing;

namespace Cache.Server.Tests.Settings;

public sealed class OptionTextTests
{
    [Fact]
    public void FromBytes_OfAnyBytes_ComesBack() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 10_000; i++)
        {
            byte[] bytes = new byte[random.Next(8)];
            random.NextBytes(bytes);
            if (random.Next(2) == 0 && bytes.Length > 3)
                "€"u8.CopyTo(bytes);
            Assert.Equal(bytes, OptionText.ToBytes(OptionText.FromBytes(bytes)));
        }
    });

    [Theory]
    [InlineData("")]
    [InlineData("plain")]
    [InlineData("\u00e9\u20ac\ud83d\udd11\0")]
    public void FromBytes_OfUtf8_IsItsText(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        Assert.Equal(text, OptionText.FromBytes(bytes));
        Assert.Equal(bytes, OptionText.ToBytes(text));
    }

    // A surrogate of UTF-8's own making is no UTF-8, and one of a text that stands for no byte is the usual mark.
    [Fact]
    public void Surrogates_ThatAreAlone_AreKeptOrMarked()
    {
        byte[] encoded = [0xED, 0xB2, 0x80];
        Assert.Equal(encoded, OptionText.ToBytes(OptionText.FromBytes(encoded)));
        Assert.Equal("\uFFFD"u8.ToArray(), OptionText.ToBytes("\ud800"));
        Assert.Equal("\uFFFDx"u8.ToArray(), OptionText.ToBytes("\udc00x"));
    }
}
