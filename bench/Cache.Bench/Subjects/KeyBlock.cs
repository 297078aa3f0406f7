using System.Buffers;
using System.Buffers.Binary;
using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

/// <summary>Keys and values of some operations, built ahead and warmed: the subject alone is timed.</summary>
internal sealed class KeyBlock
{
    /// <summary>So few that a block stays in the second-level cache once it is warm.</summary>
    public const int Count = 512;

    // A value begins with the index of its key; the four zeros behind it make the next key depend on the value.
    public const int ValueLengthMin = 8;

    private readonly byte[] _keys = new byte[Count * BenchKey.Length];
    private readonly byte[] _values;
    private readonly int[] _indexes = new int[Count];
    private byte[][] _arrays = [];

    /// <param name="random">Picks the keys.</param>
    /// <param name="keyCount">Indexes are below this.</param>
    /// <param name="valueLength">The length of the values to write.</param>
    /// <param name="readLengthMax">The length of the longest value to be read.</param>
    public KeyBlock(Random random, int keyCount, int valueLength, int readLengthMax)
    {
        ValueLength = valueLength;
        Values = new byte[readLengthMax * BlockBatch.Count];
        Writer = new ArrayBufferWriter<byte>(readLengthMax);
        _values = new byte[Count * valueLength];
        for (int i = 0; i < Count; i++)
        {
            int index = random.Next(keyCount);
            _indexes[i] = index;
            Texts[i] = BenchKey.ToText(index);
            BenchKey.Write(index, _keys.AsSpan(i * BenchKey.Length));
            BinaryPrimitives.WriteInt32LittleEndian(_values.AsSpan(i * valueLength), index);
        }
    }

    public string[] Texts { get; } = new string[Count];

    public int ValueLength { get; }

    /// <summary>Where reads of this block go: room for a batch of values.</summary>
    public byte[] Values { get; }

    /// <summary>Where reads of this block go that are made into a writer; room for one value.</summary>
    public ArrayBufferWriter<byte> Writer { get; }

    /// <summary>Where the bytes of a text key go.</summary>
    public byte[] KeyBuffer { get; } = new byte[BenchKey.Length];

    public ReadOnlySpan<byte> Key(int i) => _keys.AsSpan(i * BenchKey.Length, BenchKey.Length);

    public ReadOnlySpan<byte> Value(int i) => _values.AsSpan(i * ValueLength, ValueLength);

    /// <summary>A value as an array that nobody else has, so that a cache may keep it.</summary>
    public byte[] Array(int i) => _arrays[i];

    /// <summary>Makes the arrays, ahead of a sample: they are the caller's.</summary>
    public void CreateArrays()
    {
        _arrays = new byte[Count][];
        for (int i = 0; i < Count; i++)
            _arrays[i] = Value(i).ToArray();
    }

    /// <summary>Whether a value read for the key at a position is that key's.</summary>
    public bool Owns(int i, ReadOnlySpan<byte> value) =>
        value.Length >= ValueLengthMin && BinaryPrimitives.ReadInt32LittleEndian(value) == _indexes[i];

    /// <summary>Zero, which the processor only knows once it has the value.</summary>
    public static int ZeroOf(ReadOnlySpan<byte> value) => BinaryPrimitives.ReadInt32LittleEndian(value[4..]);

    /// <summary>Brings keys and values near; the sum keeps the reads from being left out.</summary>
    public int Warm()
    {
        int sum = 0;
        foreach (string text in Texts)
            sum += text[^1];
        foreach (byte key in _keys)
            sum += key;
        foreach (byte value in _values)
            sum += value;
        foreach (byte[] array in _arrays)
            sum += array[0];
        return sum;
    }
}
