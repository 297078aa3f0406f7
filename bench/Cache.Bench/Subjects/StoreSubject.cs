using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>The store, with a limit that it never reaches.</summary>
internal sealed class StoreSubject(int keys, int valueLength) : Subject("store")
{
    // Room for the largest value in use and whatever is kept about an entry, half as much again, and for small counts.
    private const int EntryBytesMax = 256;
    private const long SlackBytes = 64 << 20;
    private const int Batch = BlockBatch.Count;

    private readonly CacheStore _store = new(OptionsFor(keys, valueLength));

    private readonly int _valueLengthMax = 2 * valueLength;

    public override long Count => _store.Count;

    /// <summary>A limit that so many entries do not reach, with values of twice the length too.</summary>
    public static CacheOptions OptionsFor(int keys, int valueLength) => new()
    {
        MemoryLimitBytes = (long)keys * (BenchKey.Length + 2 * valueLength + EntryBytesMax) * 3 / 2 + SlackBytes,
    };

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive)
    {
        Span<byte> bytes = stackalloc byte[BenchKey.Length];
        var options = new EntryOptions
        {
            ExpiresAtMs = timeToLive == default ? 0 : _store.NowMs + (long)timeToLive.TotalMilliseconds,
        };
        if (_store.Set(BenchKey.Narrow(key, bytes), value, options) != WriteStatus.Done)
            throw new WrongAnswerException($"The store refused {key}.");
    }

    public override int Run(Operation operation, KeyBlock block) => operation switch
    {
        Operation.GetText or Operation.GetTextHot => GetText(block),
        Operation.GetTextDependent => GetTextDependent(block),
        Operation.SetText => SetText(block),
        Operation.MixedTenPercentSet => Mixed(block, setEvery: 10),
        Operation.MixedHalfSet => Mixed(block, setEvery: 2),
        Operation.GetBytes => GetBytes(block),
        Operation.GetBytesBatch => GetBytesBatch(block),
        Operation.SetBytesInPlace or Operation.SetBytesAppended => SetBytes(block),
        Operation.SetBytesInPlaceBatch or Operation.SetBytesAppendedBatch => SetBytesBatch(block),
        _ => -1,
    };

    public override void Dispose()
    {
        long evictions = _store.GetStatistics().Evictions;
        _store.Dispose();
        if (evictions > 0)
            throw new WrongAnswerException($"The store evicted {evictions} entries below its limit.");
    }

    private int GetText(KeyBlock block)
    {
        int wrong = 0;
        Span<byte> value = block.Values;
        Span<byte> key = block.KeyBuffer;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            var sink = new SpanSink(value);
            if (!_store.TryGet(BenchKey.Narrow(block.Texts[i], key), ref sink) || !block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int GetTextDependent(KeyBlock block)
    {
        int wrong = 0;
        Span<byte> value = block.Values;
        Span<byte> key = block.KeyBuffer;
        for (int i = 0; i < KeyBlock.Count; i += 1 + KeyBlock.ZeroOf(value))
        {
            var sink = new SpanSink(value);
            if (!_store.TryGet(BenchKey.Narrow(block.Texts[i], key), ref sink) || !block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int SetText(KeyBlock block)
    {
        int wrong = 0;
        Span<byte> key = block.KeyBuffer;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (_store.Set(BenchKey.Narrow(block.Texts[i], key), block.Value(i)) != WriteStatus.Done)
                wrong++;
        }

        return wrong;
    }

    private int Mixed(KeyBlock block, int setEvery)
    {
        int wrong = 0;
        int untilSet = setEvery;
        Span<byte> value = block.Values;
        Span<byte> key = block.KeyBuffer;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            var bytes = BenchKey.Narrow(block.Texts[i], key);
            if (--untilSet == 0)
            {
                untilSet = setEvery;
                wrong += _store.Set(bytes, block.Value(i)) == WriteStatus.Done ? 0 : 1;
                continue;
            }

            var sink = new SpanSink(value);
            if (!_store.TryGet(bytes, ref sink) || !block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int GetBytes(KeyBlock block)
    {
        int wrong = 0;
        Span<byte> value = block.Values;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            var sink = new SpanSink(value);
            if (!_store.TryGet(block.Key(i), ref sink) || !block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int GetBytesBatch(KeyBlock block)
    {
        int wrong = 0;
        Span<byte> values = block.Values;
        for (int start = 0; start < KeyBlock.Count; start += Batch)
        {
            var keys = new BlockBatch(block, start);
            var sink = new StrideSink(values, _valueLengthMax);
            _store.GetMany(ref keys, ref sink);
            for (int i = 0; i < Batch; i++)
            {
                if (!block.Owns(start + i, values[(i * _valueLengthMax)..]))
                    wrong++;
            }

            wrong += sink.Misses;
        }

        return wrong;
    }

    private int SetBytes(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (_store.Set(block.Key(i), block.Value(i)) != WriteStatus.Done)
                wrong++;
        }

        return wrong;
    }

    private int SetBytesBatch(KeyBlock block)
    {
        int wrong = 0;
        for (int start = 0; start < KeyBlock.Count; start += Batch)
        {
            var entries = new BlockBatch(block, start);
            if (_store.SetMany(ref entries, SetCondition.Always) != WriteStatus.Done)
                wrong++;
        }

        return wrong;
    }
}
