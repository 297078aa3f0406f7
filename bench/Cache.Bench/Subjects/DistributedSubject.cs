using System.Buffers;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Bench.Subjects;

/// <summary>A cache behind the framework's <see cref="IDistributedCache"/>.</summary>
internal class DistributedSubject(string name, IDistributedCache cache) : Subject(name)
{
    private readonly DistributedCacheEntryOptions _options = new();
    private long _count;

    /// <summary>The interface counts no entries: what was loaded and is there.</summary>
    public override long Count => _count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive)
    {
        var options = new DistributedCacheEntryOptions
        {
            AbsoluteExpirationRelativeToNow = timeToLive == default ? null : timeToLive,
        };
        cache.Set(key, value.ToArray(), options);
        if (cache.Get(key) is { } stored && value.SequenceEqual(stored))
            _count++;
    }

    public override int Run(Operation operation, KeyBlock block) => operation switch
    {
        Operation.GetIntoWriter when cache is IBufferDistributedCache buffers => GetIntoWriter(buffers, block),
        Operation.SetArray => SetArray(block),
        Operation.MixedHalfSet => MixedHalfSet(block),
        _ => -1,
    };

    private static int GetIntoWriter(IBufferDistributedCache buffers, KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            block.Writer.ResetWrittenCount();
            if (!buffers.TryGet(block.Texts[i], block.Writer) || !block.Owns(i, block.Writer.WrittenSpan))
                wrong++;
        }

        return wrong;
    }

    private int SetArray(KeyBlock block)
    {
        for (int i = 0; i < KeyBlock.Count; i++)
            cache.Set(block.Texts[i], block.Array(i), _options);
        return 0;
    }

    private int MixedHalfSet(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i += 2)
        {
            if (cache.Get(block.Texts[i]) is not { } value || !block.Owns(i, value))
                wrong++;
            cache.Set(block.Texts[i + 1], block.Value(i + 1).ToArray(), _options);
        }

        return wrong;
    }
}
