namespace Cache.Server.Tests.Commands.Keys;

public sealed class ObjectCommandsTests : CommandTestBase
{
    [Theory]
    [InlineData("123", "int", int.MaxValue)]
    [InlineData("-9223372036854775808", "int", 1)]
    [InlineData("9223372036854775808", "embstr", 1)]
    [InlineData("10000", "int", 1)]
    [InlineData("01", "embstr", 1)]
    [InlineData("abc", "embstr", 1)]
    [InlineData("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "embstr", 1)]
    [InlineData("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "raw", 1)]
    public void Encoding_OfAValue_IsThatOfRedis(string value, string encoding, int references)
    {
        Client.Call("SET", "k", value);

        Assert.Equal($"${encoding.Length}\r\n{encoding}\r\n", Client.Run("OBJECT ENCODING k"));
        Assert.Equal($":{references}\r\n", Client.Run("OBJECT REFCOUNT k"));
    }

    [Fact]
    public void Frequency_UnderAPolicyByFrequency_CountsUses()
    {
        Client.Run("SET k v");
        Client.Run("CONFIG SET maxmemory-policy allkeys-lfu");

        Assert.Equal(":0\r\n", Client.Run("OBJECT FREQ k"));
        Client.Run("GET k");
        Client.Run("GET k");
        Assert.Equal(":2\r\n", Client.Run("OBJECT FREQ k"));
        Assert.StartsWith("-ERR An LFU maxmemory policy is selected, ", Client.Run("OBJECT IDLETIME k"));
    }

    [Theory]
    [InlineData("OBJECT ENCODING k")]
    [InlineData("OBJECT REFCOUNT k")]
    [InlineData("OBJECT FREQ k")]
    [InlineData("OBJECT IDLETIME k")]
    [InlineData("DEBUG OBJECT k")]
    public void Question_OfAKey_IsNoUse(string question)
    {
        Server.Settings.Kept["enable-debug-command"] = "yes";
        Client.Run("SET k 1");
        Client.Run("CONFIG SET maxmemory-policy allkeys-lfu");

        Client.Run(question);

        Assert.Equal(":0\r\n", Client.Run("OBJECT FREQ k"));
    }

    // On a logarithmic scale, by samples: what redis-cli --hotkeys lists.
    [Fact]
    public void Frequency_OfAHotKey_FollowsItsRate()
    {
        Client.Run("CONFIG SET maxmemory-policy allkeys-lfu");
        Client.Run("MSET hot v warm v cold v");
        for (int i = 0; i < 320; i++)
        {
            Client.Run("GET hot");
            if (i % 8 == 0)
                Client.Run("GET warm");
        }

        Assert.Equal(":66\r\n", Client.Run("OBJECT FREQ hot")); // 3 + 12 * log2(321 / 8)
        Assert.Equal(":31\r\n", Client.Run("OBJECT FREQ warm"));
        Assert.Equal(":0\r\n", Client.Run("OBJECT FREQ cold"));
    }

    [Fact]
    public void Frequency_UnderAnotherPolicy_IsRefused()
    {
        Client.Run("SET k v");

        Assert.StartsWith("-ERR An LFU maxmemory policy is not selected, ", Client.Run("OBJECT FREQ k"));
        Assert.Equal(":0\r\n", Client.Run("OBJECT IDLETIME k"));
    }

    [Theory]
    [InlineData("ENCODING")]
    [InlineData("FREQ")]
    [InlineData("IDLETIME")]
    [InlineData("REFCOUNT")]
    public void Subcommand_OfAnAbsentKey_IsNull(string name) => Assert.Equal("$-1\r\n", Client.Run($"OBJECT {name} k"));
}
