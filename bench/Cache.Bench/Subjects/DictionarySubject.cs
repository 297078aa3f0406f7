using System.Collections.Concurrent;

namespace Cache.Bench.Subjects;

/// <summary>A concurrent dictionary of arrays: no limit, no expiry, no copy on a read.</summary>
internal sealed class DictionarySubject(int keys) : Subject("dictionary")
{
    private readonly ConcurrentDictionary<string, byte[]> _dictionary =
        new(Environment.ProcessorCount, keys, StringComparer.Ordinal);

    public override long Count => _dictionary.Count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive) =>
        _dictionary[key] = value.ToArray();

    public override int Run(Operation operation, KeyBlock block) => operation switch
    {
        Operation.GetText or Operation.GetTextHot => Get(block),
        Operation.GetTextDependent => GetDependent(block),
        Operation.SetText => Set(block),
        Operation.MixedTenPercentSet => Mixed(block, setEvery: 10),
        Operation.MixedHalfSet => Mixed(block, setEvery: 2),
        _ => -1,
    };

    private int Get(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (!_dictionary.TryGetValue(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
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
            if (!_dictionary.TryGetValue(block.Texts[i], out value))
                return KeyBlock.Count;
            if (!block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int Set(KeyBlock block)
    {
        for (int i = 0; i < KeyBlock.Count; i++)
            _dictionary[block.Texts[i]] = block.Value(i).ToArray();
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
                _dictionary[block.Texts[i]] = block.Value(i).ToArray();
            }
            else if (!_dictionary.TryGetValue(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
            {
                wrong++;
            }
        }

        return wrong;
    }
}
