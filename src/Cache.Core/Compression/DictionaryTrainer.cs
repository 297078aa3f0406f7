using System.Diagnostics;

namespace Cache.Core.Compression;

/// <summary>Makes a dictionary from what sampled values have in common.</summary>
/// <remarks>
/// Algorithm: counts in how many samples each word of 8 bytes occurs. The samples are divided into stretches, one for
/// every four segments of the dictionary; the best segment of a stretch, whose words are the most frequent, goes into
/// the dictionary, and its words are not counted again, so the next segment differs. Rounds over the stretches follow
/// until the dictionary is full or no repeated word is left.
/// Sources: Liao, Petri, Moffat and Wirth, "Effective construction of relative Lempel-Ziv dictionaries" (2016), known
/// as COVER; Zstandard's fastCover for the table of a fixed size.
/// Bounds: <see cref="SamplesMax"/> samples of <see cref="SampleLengthMax"/> bytes, and <see cref="RoundsMax"/> rounds,
/// each of which reads every sample once. The same samples in the same order make the same dictionary.
/// </remarks>
internal static class DictionaryTrainer
{
    /// <summary>More samples are ignored: they would change the counts little.</summary>
    public const int SamplesMax = 256;

    /// <summary>Only the beginning of a longer sample is counted: longer values repeat themselves.</summary>
    public const int SampleLengthMax = 1 << 10;

    /// <summary>
    /// How often all samples are read at most: twice as often as whole segments need to fill the dictionary.
    /// </summary>
    public const int RoundsMax = 8;

    private const int WordLength = SampledWords.WordLength;
    private const int SegmentLength = 48;
    private const int SegmentsPerStretch = 4;

    // A smaller dictionary would cost each encoding a look-up and gain nothing.
    private const int UsefulLengthMin = 64;

    /// <summary>A dictionary of 8 KB at most; null if the samples have nothing in common.</summary>
    public static Lz4Dictionary? Train(ReadOnlySpan<ReadOnlyMemory<byte>> samples)
    {
        if (samples.Length > SamplesMax)
            samples = samples[..SamplesMax];
        var words = CountWords(samples);
        byte[] bytes = new byte[Lz4Dictionary.LengthMax];
        int free = bytes.Length;
        int stretches = Math.Clamp(bytes.Length / SegmentLength / SegmentsPerStretch, 1, Math.Max(1, samples.Length));
        for (int round = 0, before = -1; round < RoundsMax && free > 0 && free != before; round++)
        {
            before = free;
            for (int i = 0; i < stretches && free > 0; i++)
            {
                int from = (int)((long)samples.Length * i / stretches);
                int to = (int)((long)samples.Length * (i + 1) / stretches);
                var segment = BestSegment(samples[from..to], words);
                Forget(segment, words);
                // The best segments come first and are put at the end, so that they win the table's places.
                segment = segment[..Math.Min(segment.Length, free)];
                free -= segment.Length;
                segment.CopyTo(bytes.AsSpan(free));
            }
        }

        return bytes.Length - free < UsefulLengthMin ? null : new Lz4Dictionary(bytes[free..]);
    }

    private static SampledWords CountWords(ReadOnlySpan<ReadOnlyMemory<byte>> samples)
    {
        var words = new SampledWords();
        for (int i = 0; i < samples.Length; i++)
        {
            var sample = BytesOf(samples[i]);
            for (int at = 0; at <= sample.Length - WordLength; at++)
                words.Count(sample, at, i + 1);
        }

        return words;
    }

    // A window slides over each sample; its sum counts each of its words once.
    private static ReadOnlySpan<byte> BestSegment(ReadOnlySpan<ReadOnlyMemory<byte>> samples, SampledWords words)
    {
        Span<int> window = stackalloc int[SegmentLength - WordLength + 1];
        ReadOnlySpan<byte> best = [];
        long bestSum = 0;
        foreach (var memory in samples)
        {
            var sample = BytesOf(memory);
            window.Clear();
            long sum = 0;
            for (int at = 0; at <= sample.Length - WordLength; at++)
            {
                ref int slot = ref window[at % window.Length];
                sum -= slot;
                slot = words.SamplesWith(sample, at);
                sum += slot;
                if (sum <= bestSum)
                    continue;
                bestSum = sum;
                int end = at + WordLength;
                best = sample[Math.Max(0, end - SegmentLength)..end];
            }
        }

        return Trimmed(best, words);
    }

    // Without the bytes at both ends that belong to no counted word.
    private static ReadOnlySpan<byte> Trimmed(ReadOnlySpan<byte> segment, SampledWords words)
    {
        while (segment.Length >= WordLength && words.SamplesWith(segment, 0) == 0)
            segment = segment[1..];
        while (segment.Length >= WordLength && words.SamplesWith(segment, segment.Length - WordLength) == 0)
            segment = segment[..^1];
        Debug.Assert(segment.Length <= SegmentLength);
        return segment.Length < WordLength ? [] : segment;
    }

    private static void Forget(ReadOnlySpan<byte> segment, SampledWords words)
    {
        for (int at = 0; at <= segment.Length - WordLength; at++)
            words.Forget(segment, at);
    }

    private static ReadOnlySpan<byte> BytesOf(ReadOnlyMemory<byte> sample) =>
        sample.Span[..Math.Min(sample.Length, SampleLengthMax)];
}
