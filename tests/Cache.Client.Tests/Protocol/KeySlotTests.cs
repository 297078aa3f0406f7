using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests.Protocol;

public sealed class KeySlotTests
{
    // As CLUSTER KEYSLOT of redis-server 7.0.15 says.
    [Theory]
    [InlineData("123456789", 12739)]
    [InlineData("foo", 12182)]
    [InlineData("", 0)]
    [InlineData("{user1000}.following", 3443)]
    [InlineData("{user1000}.followers", 3443)]
    [InlineData("user1000", 3443)]
    [InlineData("foo{}{bar}", 8363)]
    [InlineData("foo{{bar}}zap", 4015)]
    [InlineData("foo{bar}{zap}", 5061)]
    [InlineData("bar", 5061)]
    [InlineData("a{b", 13340)]
    public void Of_Key_IsItsSlot(string key, int slot) => Assert.Equal(slot, KeySlot.Of(Encoding.UTF8.GetBytes(key)));
}
