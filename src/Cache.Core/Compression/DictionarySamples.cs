using System.Diagnostics;

namespace Cache.Core.Compression;

/// <summary>Short values that a dictionary will be made from.</summary>
/// <remarks>Filled by one thread at a time, then read by the one that trains.</remarks>
internal sealed class DictionarySamples
{
    // Of the values that pass by, one in so many: neighbours in memory were written together, and are much alike.
    private const int Period = 4;

    private readonly byte[] _bytes = new byte[DictionaryTrainer.SamplesMax * DictionaryTrainer.SampleLengthMax];
    private readonly int[] _lengths = new int[DictionaryTrainer.SamplesMax];
    private int _seen;

    public int Count { get; private set; }

    public bool IsFull => Count == DictionaryTrainer.SamplesMax;

    /// <summary>Looks at a value of at most <see cref="DictionaryTrainer.SampleLengthMax"/> bytes.</summary>
    public void Offer(ReadOnlySpan<byte> value)
    {
        Debug.Assert(value.Length <= DictionaryTrainer.SampleLengthMax);
        if (IsFull || ++_seen % Period != 0)
            return;
        value.CopyTo(_bytes.AsSpan(Count * DictionaryTrainer.SampleLengthMax));
        _lengths[Count++] = value.Length;
        Debug.Assert(Count <= DictionaryTrainer.SamplesMax);
    }

    /// <summary>Makes a dictionary; null if the values have nothing in common.</summary>
    public Lz4Dictionary? Train()
    {
        var samples = new ReadOnlyMemory<byte>[Count];
        for (int i = 0; i < samples.Length; i++)
            samples[i] = _bytes.AsMemory(i * DictionaryTrainer.SampleLengthMax, _lengths[i]);
        return DictionaryTrainer.Train(samples);
    }
}
