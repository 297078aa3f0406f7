using Cache.Core.Compression;
using Cache.Testing;

namespace Cache.Core.Tests.Compression;

public sealed class Lz4EncoderTests
{
    [Fact]
    public void TryEncode_EveryKindOfValue_IsReadByTheReferenceAndByTheDecoder() => RandomSeed.Run(this, seed =>
    {
        foreach (byte[] value in Corpus.Values(new Random(seed)))
        {
            byte[] block = Encode(value, null);

            Assert.Equal(value, ReferenceLz4.Decode(block, []));
            Assert.Equal(value, Decode(block, [], value.Length));
        }
    });

    [Fact]
    public void TryEncode_WithADictionary_IsReadByTheReferenceAndByTheDecoder() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        foreach (byte[] prefix in (byte[][])[[], [1], "abcd"u8.ToArray(), PrefixOf(random)])
        {
            var dictionary = new Lz4Dictionary(prefix);
            foreach (byte[] value in Corpus.Values(random))
            {
                byte[] block = Encode(value, dictionary);

                Assert.Equal(value, ReferenceLz4.Decode(block, prefix));
                Assert.Equal(value, Decode(block, prefix, value.Length));
            }
        }
    });

    [Fact]
    public void TryEncode_TargetOfExactlyTheBlock_FillsIt() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var dictionary = new Lz4Dictionary(PrefixOf(random));
        foreach (byte[] value in Corpus.Values(random))
        {
            byte[] block = Encode(value, dictionary);
            byte[] target = new byte[block.Length];

            Assert.True(Lz4Encoder.TryEncode(value, dictionary, target, out int written));
            Assert.Equal(block.Length, written);
            Assert.Equal(block, target);
        }
    });

    [Fact]
    public void TryEncode_EveryShorterTarget_GivesUpInside() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        foreach (byte[] value in (byte[][])[Corpus.Json(random), Corpus.Html(random, 6), Corpus.Runs(random, 700)])
        {
            int length = Encode(value, null).Length;
            for (int room = 0; room < length; room++)
            {
                byte[] guarded = new byte[room + 64];
                guarded.AsSpan().Fill(0xA5);

                Assert.False(Lz4Encoder.TryEncode(value, null, guarded.AsSpan(32, room), out _), $"{room} of {length}");
                Assert.False(guarded.AsSpan(0, 32).ContainsAnyExcept((byte)0xA5));
                Assert.False(guarded.AsSpan(32 + room).ContainsAnyExcept((byte)0xA5));
            }
        }
    });

    [Theory]
    [InlineData(65_535, true)]
    [InlineData(65_536, false)]
    public void TryEncode_RepetitionFarBack_IsFoundAsFarAsAnOffsetReaches(int offset, bool isFound) =>
        RandomSeed.Run(this, seed =>
        {
            byte[] value = Corpus.FarRepetition(new Random(seed), offset);
            // The steps over noise are long: what is asked is only whether a found match is written rightly.
            value.AsSpan(300, offset - 300).Clear();

            byte[] block = Encode(value, null);

            Assert.Equal(value, ReferenceLz4.Decode(block, []));
            Assert.Equal(isFound, block.Length < 700);
        });

    [Fact]
    public void TryEncode_DictionaryFartherThanAnOffsetReaches_IsNotUsed() => RandomSeed.Run(this, seed =>
    {
        byte[] prefix = Corpus.Noise(new Random(seed), 1000);
        byte[] value = [.. prefix, .. new byte[70_000], .. prefix];

        byte[] block = Encode(value, new Lz4Dictionary(prefix));

        Assert.Equal(value, ReferenceLz4.Decode(block, prefix));
        Assert.InRange(block.Length, 1000, 1500);
    });

    [Fact]
    public void TryEncode_TheSameValueTwice_MakesTheSameBlock() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] value = Corpus.Json(random);

        byte[] first = Encode(value, null);
        Encode(Corpus.Noise(random, 70_000), null);

        Assert.Equal(first, Encode(value, null));
    });

    [Fact]
    public void TryEncode_JsonWithADictionaryOfItsKind_IsLessThanHalf() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var dictionary = new Lz4Dictionary(PrefixOf(random));
        byte[][] values = [.. Enumerable.Range(0, 200).Select(_ => Corpus.Json(random))];

        Assert.True(2 * values.Sum(value => Encode(value, dictionary).Length) < values.Sum(value => value.Length));
    });

    [Fact]
    public void TryEncode_AfterTheFirstOfAThread_AllocatesNothing()
    {
        byte[] value = Corpus.Html(new Random(1), 20);
        byte[] target = new byte[value.Length];
        byte[] back = new byte[value.Length];
        var dictionary = new Lz4Dictionary(value[..2000]);
        Round();
        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
                Round();
        }));

        void Round()
        {
            if (!Lz4Encoder.TryEncode(value, dictionary, target, out int written)
                || !Lz4Decoder.TryDecode(target.AsSpan(0, written), dictionary.Bytes, back))
            {
                throw new InvalidOperationException();
            }
        }
    }

    // A value is encoded without a lock: what comes out of one that changes is thrown away, but it must come out.
    [Fact]
    public async Task TryEncode_SourceChangesMeanwhile_StaysInside() => await RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        byte[][] values =
            [Corpus.Html(random, 12), Corpus.Noise(random, 2000), Corpus.Runs(random, 2000), new byte[2000]];
        var dictionary = new Lz4Dictionary(values[0][..1000]);
        byte[] shared = new byte[1000];
        bool isOver = false;
        var writer = Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; !Volatile.Read(ref isOver); i++)
                    values[i % values.Length].AsSpan(i * 7 % 900, 500).CopyTo(shared.AsSpan(i * 3 % 500));
            },
            TaskCreationOptions.LongRunning);
        try
        {
            for (int i = 0; i < 10_000; i++)
            {
                byte[] guarded = new byte[64 + i % 1100];
                guarded.AsSpan().Fill(0xA5);
                Lz4Encoder.TryEncode(shared, i % 2 == 0 ? dictionary : null, guarded.AsSpan(32..^32), out int written);
                Assert.InRange(written, -1, guarded.Length - 64);
                Assert.False(guarded.AsSpan(0, 32).ContainsAnyExcept((byte)0xA5));
                Assert.False(guarded.AsSpan(guarded.Length - 32).ContainsAnyExcept((byte)0xA5));
            }
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            await writer;
        }
    });

    [Theory]
    [InlineData(0, -8)]
    [InlineData(8, 0)]
    [InlineData(64, 56)]
    [InlineData(72, 63)]
    [InlineData(1024, 896)]
    public void KeptLengthMax_EightBytesOrAnEighth_AreSaved(int length, int kept) =>
        Assert.Equal(kept, Lz4Format.KeptLengthMax(length));

    [Fact]
    public void Dictionary_LongerThanItsBound_IsRefused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new Lz4Dictionary(new byte[Lz4Dictionary.LengthMax + 1]));

    private static byte[] PrefixOf(Random random)
    {
        var prefix = new List<byte>();
        while (prefix.Count < Lz4Dictionary.LengthMax)
            prefix.AddRange(Corpus.Json(random));
        return [.. prefix[..Lz4Dictionary.LengthMax]];
    }

    private static byte[] Encode(byte[] value, Lz4Dictionary? dictionary)
    {
        byte[] target = new byte[value.Length + value.Length / 255 + 16];
        Assert.True(Lz4Encoder.TryEncode(value, dictionary, target, out int written));
        return target[..written];
    }

    private static byte[] Decode(byte[] block, byte[] prefix, int length)
    {
        byte[] value = new byte[length];
        Assert.True(Lz4Decoder.TryDecode(block, prefix, value));
        return value;
    }
}
