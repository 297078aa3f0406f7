using System.Text;
using Cache.Core.Distributed;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>Keys of every kind that Unicode has: each is a key of its own, and no other.</summary>
public sealed class DistributedKeyTests : IDisposable
{
    private static readonly DistributedCacheEntryOptions _noExpiry = new();

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20 });
    private readonly DistributedStore _cache;

    public DistributedKeyTests() => _cache = new DistributedStore(_store);

    public static TheoryData<string> Kinds =>
    [
        "", " ", "\0", "a\0b", "\r\n", "\t", "\u007f", "\u0080", "key", "KEY", "a:b:c", "{tag}key", "*?[", "\\",
        "é", "e\u0301", "ß", "ss", "İ", "i\u0307", "ﬁ", "fi",
        "Ω", "\u2126", "日本語", "한글", "\u1112\u1161\u11ab",
        "שלום", "مرحبا", "\u202eabc", "\u200b", "\u200d", "\ufeff", "\ufeffkey", "\ufffd", "\ufffe", "\uffff",
        "\ud7ff", "\ue000", "\U00010000", "\U0010ffff", "\u00ad", "key\u00a0",
        "😀", "👩‍👩‍👧‍👦", "🇩🇪", "🇪🇩",
    ];

    [Fact]
    public void KeysOfAllKinds_AreKeysOfTheirOwn()
    {
        string[] keys = [.. Kinds.Select(static row => row.Data)];
        for (int i = 0; i < keys.Length; i++)
            _cache.Set(keys[i], [(byte)i], _noExpiry);
        Assert.Equal(keys.Length, _store.Count);
        for (int i = 0; i < keys.Length; i++)
            Assert.Equal([(byte)i], _cache.Get(keys[i])!);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Key_IsItsUtf8(string key)
    {
        _cache.Set(key, [1], _noExpiry);
        Assert.Equal([1], _store.GetArray(Encoding.UTF8.GetBytes(key)));
        _cache.Remove(key);
        Assert.Null(_store.GetArray(Encoding.UTF8.GetBytes(key)));
    }

    [Fact]
    public void EveryScalarValue_IsAKeyOfItsOwn()
    {
        int count = 0;
        for (int scalar = 0; scalar <= 0x10FFFF; scalar += scalar < 0x3000 ? 1 : 61)
        {
            if (!Rune.IsValid(scalar))
                continue;
            _cache.Set(new Rune(scalar).ToString(), BitConverter.GetBytes(scalar), _noExpiry);
            count++;
        }

        Assert.Equal(count, _store.Count);
        for (int scalar = 0; scalar <= 0x10FFFF; scalar += scalar < 0x3000 ? 1 : 61)
        {
            if (Rune.IsValid(scalar))
                Assert.Equal(scalar, BitConverter.ToInt32(_cache.Get(new Rune(scalar).ToString())));
        }
    }

    [Fact]
    public void RandomKeys_AreFoundOrRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 5_000; i++)
        {
            string key = string.Create(random.Next(1, 40), random, static (span, random) =>
            {
                foreach (ref char unit in span)
                    unit = (char)(random.Next(4) == 0 ? random.Next(0xD700, 0xE100) : random.Next(0x250));
            });
            if (IsWellFormed(key))
            {
                _cache.Set(key, BitConverter.GetBytes(i), _noExpiry);
                Assert.Equal(i, BitConverter.ToInt32(_cache.Get(key)));
                Assert.Equal(i, BitConverter.ToInt32(_store.GetArray(Encoding.UTF8.GetBytes(key))));
            }
            else
            {
                Assert.Throws<ArgumentException>("key", () => _cache.Set(key, [1], _noExpiry));
            }
        }
    });

    public void Dispose() => _store.Dispose();

    private static bool IsWellFormed(string text)
    {
        for (int i = 0; i < text.Length; i++)
        {
            if (!char.IsSurrogate(text[i]))
                continue;
            if (i + 1 == text.Length || !char.IsSurrogatePair(text[i], text[i + 1]))
                return false;
            i++;
        }

        return true;
    }
}
