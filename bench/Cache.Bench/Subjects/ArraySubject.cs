using System.Buffers;

namespace Cache.Bench.Subjects;

/// <summary>A cache of arrays by strings: it keeps each array as it is, and hands it out uncopied.</summary>
/// <remarks>TMap: A struct, so that the calls are direct.</remarks>
internal abstract class ArraySubject<TMap>(string name, TMap map) : Subject(name)
    where TMap : struct, IArrayMap
{
    protected TMap Map { get; } = map;

    public override int Run(Operation operation, KeyBlock block) => operation switch
    {
        Operation.GetText or Operation.GetTextHot => Get(block),
        Operation.GetTextDependent => GetDependent(block),
        Operation.SetText => Set(block),
        Operation.MixedTenPercentSet => Mixed(block, setEvery: 10),
        Operation.MixedHalfSet => Mixed(block, setEvery: 2),
        Operation.GetIntoWriter => GetIntoWriter(block),
        Operation.SetArray => SetArray(block),
        _ => -1,
    };

    private int Get(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            if (!Map.TryGet(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
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
            if (!Map.TryGet(block.Texts[i], out value))
                return KeyBlock.Count;
            if (!block.Owns(i, value))
                wrong++;
        }

        return wrong;
    }

    private int Set(KeyBlock block)
    {
        for (int i = 0; i < KeyBlock.Count; i++)
            Map.Set(block.Texts[i], block.Value(i).ToArray());
        return 0;
    }

    private int GetIntoWriter(KeyBlock block)
    {
        int wrong = 0;
        for (int i = 0; i < KeyBlock.Count; i++)
        {
            block.Writer.ResetWrittenCount();
            if (Map.TryGet(block.Texts[i], out byte[]? value))
                block.Writer.Write(value);
            if (!block.Owns(i, block.Writer.WrittenSpan))
                wrong++;
        }

        return wrong;
    }

    private int SetArray(KeyBlock block)
    {
        for (int i = 0; i < KeyBlock.Count; i++)
            Map.Set(block.Texts[i], block.Array(i));
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
                Map.Set(block.Texts[i], block.Value(i).ToArray());
            }
            else if (!Map.TryGet(block.Texts[i], out byte[]? value) || !block.Owns(i, value))
            {
                wrong++;
            }
        }

        return wrong;
    }
}
