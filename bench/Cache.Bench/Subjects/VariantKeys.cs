using System.Buffers.Binary;
using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>Random keys and their values, and room for what is read.</summary>
internal sealed class VariantKeys
{
    /// <summary>Keys of a block: a power of two, and as many as the largest batch.</summary>
    public const int Count = 1024;

    /// <summary>Blocks of a sample.</summary>
    public const int PerSample = 12;

    /// <summary>Of these, the ones at the beginning that are not timed.</summary>
    public const int Untimed = 4;

    private readonly byte[] _keys = new byte[Count * BenchKey.Length];
    private readonly byte[] _values;
    private readonly int[] _indexes = new int[Count];

    public VariantKeys(Random random, int keys, int valueLength)
    {
        ValueLength = valueLength;
        _values = new byte[Count * valueLength];
        Read = new byte[Count * valueLength];
        for (int i = 0; i < Count; i++)
        {
            _indexes[i] = random.Next(keys);
            BenchKey.Write(_indexes[i], _keys.AsSpan(i * BenchKey.Length));
            BinaryPrimitives.WriteInt32LittleEndian(_values.AsSpan(i * valueLength), _indexes[i]);
        }
    }

    public int ValueLength { get; }

    /// <summary>Where reads go: room for all values.</summary>
    public byte[] Read { get; }

    public ReadOnlySpan<byte> Key(int i) => _keys.AsSpan(i * BenchKey.Length, BenchKey.Length);

    public ReadOnlySpan<byte> Value(int i) => _values.AsSpan(i * ValueLength, ValueLength);

    public Span<byte> ReadAt(int i) => Read.AsSpan(i * ValueLength, ValueLength);

    /// <summary>How many of the keys from one on have another value in their places.</summary>
    public int WrongFrom(int start, int count)
    {
        int wrong = 0;
        for (int i = start; i < start + count; i++)
            wrong += BinaryPrimitives.ReadInt32LittleEndian(ReadAt(i)) == _indexes[i] ? 0 : 1;
        return wrong;
    }

    /// <summary>Brings keys and values near.</summary>
    public void Warm()
    {
        int sum = 0;
        foreach (byte key in _keys)
            sum += key;
        foreach (byte value in _values)
            sum += value;
        GC.KeepAlive(sum);
    }
}

/// <summary>Some of a block's keys, with their values, as one operation on many.</summary>
internal readonly struct VariantBatch(VariantKeys block, int start, int count) : IEntrySource
{
    public int Count => count;

    public ReadOnlySpan<byte> GetKey(int index) => block.Key(start + index);

    public ReadOnlySpan<byte> GetValue(int index) => block.Value(start + index);
}
