using System.Buffers;
using Microsoft.Extensions.Caching.Memory;

namespace Cache.Bench.Subjects;

/// <summary>The framework's <see cref="MemoryCache"/> of arrays, without a size limit.</summary>
internal sealed class MemoryCacheSubject() : Subject("memorycache")
{
    private readonly MemoryCache _cache = new(new MemoryCacheOptions());

    public override long Count => _cache.Count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive)
    {
        if (timeToLive == default)
            _cache.Set(key, value.ToArray());
        else
            _cache.Set(key, value.ToArray(), timeToLive);
    }

    public override int Run(Operation operation, KeyBlock block) => operation switch
    {
        Operation.GetText or Operation.GetTextHot => Get(block),
        Operation.GetTextDependent => GetDependent(block),
        Operation.SetText => Set(block),
        Operation.MixedTenPercentSet => Mixed(block, setEvery: 10),
        Operation.MixedHalfSet => Mixed(block, setEvery: 2),
        Operation.GetIntoWriter => GetIntoWriter(block),
        _ => -1,
    };

    public override void Dispose() => _cache.Dispose();

    private int Get(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (!_cache.TryGetValue(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int GetDependent(KeyBlock block)
    {
        int wrong = 0;
        byte[]? value = new byte[KeyBlock.ValueLengthMin];
        for (int i = 0; i < KeyBlock.Count; i += 1 + KeyBlock.ZeroOf(value))
        {
            if (!_cache.TryGetValue(block.Texts[i], out value))
                return KeyBlock.Count;
            if (!block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int GetIntoWriter(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            block.Writer.ResetWrittenCount();
            if (_cache.TryGetValue(block.Texts[i], out byte[]? value))
                block.Writer.Write(value);
            if (!block.Owns(i, block.Writer.WrittenSpan))
                wrong++;
        }

        return wrong;
    }

    private int Set(KeyBlock block)
    {
        for (int i = 0; i < KeyBlock.Count; i++)
            _cache.Set(block.Texts[i], block.Value(i).ToArray());
        return 0;
    }

    private int Mixed(KeyBlock block, int setEvery)
    {
        int wrong = 0;
        int untilSet = setEvery;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (--untilSet == 0)
            {
                untilSet = setEvery;
                _cache.Set(block.Texts[i], block.Value(i).ToArray());
            }
            else if (!_cache.TryGetValue(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
            {
                wrong++;
            }
        }

        return wrong;
    }
}
