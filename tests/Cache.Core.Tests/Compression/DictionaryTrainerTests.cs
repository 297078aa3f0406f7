using Cache.Core.Compression;
using Cache.Testing;

namespace Cache.Core.Tests.Compression;

public sealed class DictionaryTrainerTests
{
    [Fact]
    public void Train_Json_MakesOtherValuesOfItsKindLessThanHalf() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var dictionary = DictionaryTrainer.Train(Samples(DictionaryTrainer.SamplesMax, () => Corpus.Json(random)));

        Assert.NotNull(dictionary);
        Assert.InRange(dictionary.Length, 100, Lz4Dictionary.LengthMax);
        Assert.InRange(RatioOf(() => Corpus.Json(random), dictionary), 2.0, double.MaxValue);
    });

    [Fact]
    public void Train_TwoKindsOfValues_ServesBoth() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int turn = 0;
        var dictionary = DictionaryTrainer.Train(
            Samples(256, () => turn++ % 8 == 0 ? Corpus.Html(random, 1) : Corpus.Json(random)));

        Assert.InRange(RatioOf(() => Corpus.Json(random), dictionary), 1.8, double.MaxValue);
        Assert.InRange(RatioOf(() => Corpus.Html(random, 1), dictionary), 1.8, double.MaxValue);
    });

    [Fact]
    public void Train_NothingInCommon_MakesNone() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);

        Assert.Null(DictionaryTrainer.Train([]));
        Assert.Null(DictionaryTrainer.Train(Samples(10, () => [])));
        Assert.Null(DictionaryTrainer.Train(Samples(256, () => Corpus.Noise(random, 1024))));
        Assert.Null(DictionaryTrainer.Train(Samples(1, () => Corpus.Json(random))));
    });

    [Fact]
    public void Train_TheSameSamples_MakeTheSameDictionary() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var samples = Samples(256, () => Corpus.Json(random));

        var first = DictionaryTrainer.Train(samples);
        var second = DictionaryTrainer.Train(samples);

        Assert.Equal(first!.Bytes, second!.Bytes);
    });

    [Fact]
    public void Train_ManyLongSamples_ReadsTheBeginningsOfTheFirst() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var samples = Samples(300, () => Corpus.Html(random, 30));
        var few = samples[..DictionaryTrainer.SamplesMax]
            .Select(sample => sample[..DictionaryTrainer.SampleLengthMax]).ToArray();

        Assert.Equal(DictionaryTrainer.Train(few)!.Bytes, DictionaryTrainer.Train(samples)!.Bytes);
    });

    [Fact]
    public void Train_SamplesShorterThanAWord_MakesNone() =>
        Assert.Null(DictionaryTrainer.Train(Samples(256, () => "1234567"u8.ToArray())));

    [Fact]
    public void Train_OneValueAgainAndAgain_HoldsItOnce()
    {
        byte[] value = Corpus.Noise(new Random(1), 200);

        var dictionary = DictionaryTrainer.Train(Samples(256, () => value));

        Assert.NotNull(dictionary);
        Assert.InRange(dictionary.Length, 150, 400);
    }

    private static ReadOnlyMemory<byte>[] Samples(int count, Func<byte[]> make) =>
        [.. Enumerable.Range(0, count).Select(_ => (ReadOnlyMemory<byte>)make())];

    private static double RatioOf(Func<byte[]> make, Lz4Dictionary? dictionary)
    {
        long before = 0, after = 0;
        for (int i = 0; i < 200; i++)
        {
            byte[] value = make();
            byte[] target = new byte[value.Length + 16];
            Assert.True(Lz4Encoder.TryEncode(value, dictionary, target, out int written));
            before += value.Length;
            after += written;
        }

        return before / (double)after;
    }
}
