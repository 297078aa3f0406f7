using System.Buffers.Binary;

namespace Cache.Core.Compression;

/// <summary>Counts in how many samples each word of 8 bytes occurs.</summary>
/// <remarks>
/// A table with one place per hash, so its memory and work do not depend on the samples. A word that was seen once
/// gives its place to the next one; one that was seen more often keeps it, and others with the same place are not
/// counted. A tag of 32 more bits of the hash distinguishes the words of a place.
/// </remarks>
internal sealed class SampledWords
{
    public const int WordLength = sizeof(ulong);

    private const int TableBits = 16;

    private readonly Word[] _words = new Word[1 << TableBits];

    /// <summary>Counts the word at this position of a sample; samples are numbered from 1 and come in order.</summary>
    public void Count(ReadOnlySpan<byte> bytes, int at, int sample)
    {
        ref var word = ref _words[PlaceOf(bytes, at, out uint tag)];
        if (word.Samples <= 1 && word.Tag != tag)
            word = new Word { Tag = tag };
        if (word.Tag != tag || word.LastSample == sample)
            return;
        word.LastSample = (ushort)sample;
        word.Samples++;
    }

    /// <summary>In how many samples the word was seen; 0 if in fewer than two.</summary>
    public int SamplesWith(ReadOnlySpan<byte> bytes, int at)
    {
        var word = _words[PlaceOf(bytes, at, out uint tag)];
        return word.Tag == tag && word.Samples > 1 ? word.Samples : 0;
    }

    public void Forget(ReadOnlySpan<byte> bytes, int at)
    {
        ref var word = ref _words[PlaceOf(bytes, at, out uint tag)];
        if (word.Tag == tag)
            word.Samples = 0;
    }

    private static int PlaceOf(ReadOnlySpan<byte> bytes, int at, out uint tag)
    {
        ulong hash = BinaryPrimitives.ReadUInt64LittleEndian(bytes[at..]) * 0x9E3779B97F4A7C15;
        tag = (uint)(hash >> 8);
        return (int)(hash >> (64 - TableBits));
    }

    private struct Word
    {
        public uint Tag;
        public ushort Samples;
        public ushort LastSample;
    }
}
