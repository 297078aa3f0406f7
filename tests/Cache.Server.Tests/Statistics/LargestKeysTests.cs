using System.Text;
using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class LargestKeysTests
{
    private readonly LargestKeys _keys = new();

    // A scan may return a key twice.
    [Fact]
    public void Add_KeyThatComesAgain_CountsOnceWithItsLastSize()
    {
        _keys.Add("a"u8, 0, 100, 1);
        _keys.Add("a"u8, 1, 50, 1);
        _keys.Add("a"u8, 0, 200, 2);

        Assert.Equal([(0, 200), (1, 50)], _keys.ToArray().Select(static one => (one.Database, one.MemoryBytes)));
    }

    [Fact]
    public void Add_LongKeysWithOneBeginning_AreTwo()
    {
        byte[] key = new byte[LargestKeys.KeyLengthMax + 2];
        _keys.Add(key, 0, 100, 1);
        key[^1] = 1;
        _keys.Add(key, 0, 200, 1);

        Assert.Equal(2, _keys.ToArray().Length);
    }

    [Fact]
    public void Add_SmallerThanAll_IsNotKept()
    {
        for (int i = 0; i < 2 * LargestKeys.CountMax; i++)
            _keys.Add(Encoding.ASCII.GetBytes($"{i}"), 0, 1000 - i, 1);

        var keys = _keys.ToArray();
        Assert.Equal(LargestKeys.CountMax, keys.Length);
        Assert.Equal(1000 - LargestKeys.CountMax + 1, keys[^1].MemoryBytes);
    }

    [Fact]
    public void Clear_Keys_AreForgotten()
    {
        _keys.Add("a"u8, 0, 100, 1);
        _keys.Clear();

        Assert.Empty(_keys.ToArray());
    }
}
