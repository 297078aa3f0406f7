using System.Text;
using Cache.Server.Waits;

namespace Cache.Scripting.Tests;

/// <summary>The keys of a script: few are compared, many looked up, and long ones are not kept.</summary>
public sealed class HeldKeySetTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(5000)]
    public void Has_FilledAgain_KnowsTheKeysOfNow(int count)
    {
        var keys = new HeldKeys();
        Fill(keys, 100, "earlier");
        Fill(keys, count, "key");

        for (int i = 0; i < count; i++)
            Assert.True(keys.Has(Encoding.ASCII.GetBytes($"key{i}")));
        Assert.False(keys.Has(Encoding.ASCII.GetBytes($"key{count}")));
        Assert.False(keys.Has("earlier0"u8) || keys.Has("key"u8) || keys.Has(""u8));
        Assert.Equal(count == 5000, keys.IsLarge);
    }

    [Fact]
    public void IsLarge_LongKey_IsNotKept()
    {
        var keys = new HeldKeys();
        Fill(keys, 1, new string('k', 100_000));
        Assert.True(keys.IsLarge && keys.Has(Encoding.ASCII.GetBytes(new string('k', 100_000) + "0")));
    }

    private static void Fill(HeldKeys keys, int count, string prefix)
    {
        keys.Clear();
        for (int i = 0; i < count; i++)
            keys.Add(Encoding.ASCII.GetBytes($"{prefix}{i}"));
        keys.End();
    }
}
