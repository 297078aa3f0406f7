using System.Text;
using Cache.Core;
using Cache.Core.Hashing;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>
/// Writes keys of one bucket whenever the server asks for room for a reply: so all attempts to read without a lock are
/// in vain, of whichever command.
/// </summary>
internal sealed class HotWriter(CacheStore store)
{
    private const int KeyCount = 24;
    private const int ValueLengthMax = 20_000;

    // A thousand keys, each with all attempts that there are, in a pipeline of eighty such requests.
    private const int WritesInARowMax = 2_000_000;

    private readonly Random _random = new(1);
    private readonly byte[] _value = new byte[ValueLengthMax];
    private int _writes;
    private bool _isEndless;

    /// <summary>Keys of one bucket, in the stores that are created here.</summary>
    public static string[] Keys { get; } = FindKeys();

    /// <summary>A store whose hash is always the same.</summary>
    public static CacheStore CreateStore(CacheOptions options, TimeProvider clock) =>
        new(options, clock, KeyedHash.Create(new byte[AesHash.SecretLength]));

    public void Pass(string point)
    {
        if (point == "after a read")
            _writes = 0;
        if (point != "before a reply has room" || _isEndless)
            return;
        _isEndless = ++_writes > WritesInARowMax;
        byte[] key = Encoding.Latin1.GetBytes(Keys[_random.Next(Keys.Length)]);
        var value = _value.AsSpan(0, _random.Next(4) == 0 ? _random.Next(ValueLengthMax) : _random.Next(40));
        switch (_random.Next(6))
        {
            case 0:
                store.Remove(key);
                break;
            case 1:
                store.Increment(key, 1, out _);
                break;
            case 2:
                store.Append(key, value, out _);
                break;
            default:
                store.Set(key, value);
                break;
        }
    }

    /// <exception cref="FuzzFailureException">A request asked for room for ever.</exception>
    public void Check()
    {
        if (_isEndless)
            throw new FuzzFailureException($"Room for replies was asked for {WritesInARowMax} times in a row.");
    }

    private static string[] FindKeys()
    {
        using var store = CreateStore(new CacheOptions { MemoryLimitBytes = 4 << 20 }, TimeProvider.System);
        return HotKeys.Find(store, "hot:", KeyCount);
    }
}
