using System.Text;
using Cache.Core.Compression;
using Cache.Testing;

namespace Cache.Core.Tests.Compression;

public sealed class Lz4DecoderTests
{
    private const byte Guard = 0xA5;
    private const int GuardLength = 64;

    // By hand from the description of the format.
    [Theory]
    [InlineData("00", "")]
    [InlineData("10 61", "a")]
    [InlineData("50 68656C6C6F", "hello")]
    [InlineData("F0 00 616161616161616161616161616161", "aaaaaaaaaaaaaaa")]
    [InlineData("F0 01 61616161616161616161616161616162", "aaaaaaaaaaaaaaab")]
    [InlineData("13 61 0100 50 6263646566", "aaaaaaaabcdef")]
    [InlineData("1F 61 0100 00 50 6263646566", "aaaaaaaaaaaaaaaaaaaabcdef")]
    [InlineData("26 6162 0200 50 6364656667", "ababababababcdefg")]
    [InlineData("45 61626364 0400 50 6566676869", "abcdabcdabcdaefghi")]
    public void TryDecode_BlockByHand_IsRead(string block, string value)
    {
        byte[] target = new byte[value.Length];

        Assert.True(Lz4Decoder.TryDecode(FromHex(block), [], target));
        Assert.Equal(value, Encoding.ASCII.GetString(target));
    }

    [Theory]
    [InlineData("", 0)] // No token.
    [InlineData("00", 1)] // Shorter than the target.
    [InlineData("10 61", 0)] // Longer.
    [InlineData("10", 1)] // Literals are missing.
    [InlineData("F0", 15)] // More of the length is missing.
    [InlineData("F0 FF", 300)] // It does not end.
    [InlineData("10 61 01", 9)] // Half an offset.
    [InlineData("10 61 0000", 9)] // An offset of nothing.
    [InlineData("10 61 0200 00", 5)] // Before the beginning.
    [InlineData("10 61 0100", 5)] // No literals behind the last match.
    [InlineData("11 61", 1)] // A match in the last token.
    [InlineData("1F 61 0100", 40)] // More of the match is missing.
    [InlineData("10 61 0100 00", 4)] // The match does not fit.
    public void TryDecode_NoBlock_IsRefused(string block, int length) =>
        Assert.False(Lz4Decoder.TryDecode(FromHex(block), [], new byte[length]));

    [Theory]
    [InlineData(8, "04 0400 00", "efgh", true)]
    [InlineData(8, "04 0800 00", "abcdefgh", true)]
    [InlineData(8, "06 0400 00", "efghefghef", true)] // Goes on in the value.
    [InlineData(7, "04 0800 00", "abcdefgh", false)]
    [InlineData(0, "04 0400 00", "abcdefgh", false)]
    public void TryDecode_MatchInTheDictionary_IsItsEnd(int prefix, string block, string value, bool isRead)
    {
        byte[] bytes = FromHex(block);
        byte[] target = new byte[value.Length];
        bytes[0] = (byte)(value.Length - 4);

        Assert.Equal(isRead, Lz4Decoder.TryDecode(bytes, "abcdefgh"u8[..prefix], target));
        Assert.Equal(isRead, value == Encoding.ASCII.GetString(target));
    }

    // Recorded from the tool lz4 1.9.4: an implementation that shares nothing with ours.
    [Fact]
    public void TryDecode_BlocksOfAnotherImplementation_AreRead() =>
        Assert.All(RecordedLz4.Blocks, recorded =>
        {
            byte[] target = new byte[recorded.Value.Length];

            Assert.True(Lz4Decoder.TryDecode(recorded.Block, recorded.Prefix, target));
            Assert.Equal(recorded.Value, target);
        });

    // A length of 2 GB and more in few bytes, and in many.
    [Theory]
    [InlineData(10)]
    [InlineData(9_000_000)]
    public void TryDecode_LengthBeyondAnyTarget_IsRefused(int bytes)
    {
        byte[] block = new byte[bytes];
        block.AsSpan().Fill(byte.MaxValue);

        Assert.False(Lz4Decoder.TryDecode(block, [], new byte[100]));
        block[0] = 0x1F;
        block[2] = 1;
        block[3] = 0;
        Assert.False(Lz4Decoder.TryDecode(block, [], new byte[100]));
        block[^1] = 0;
        Assert.False(Lz4Decoder.TryDecode(block, [], new byte[100]));
    }

    [Fact]
    public void TryDecode_EveryTruncation_IsRefused() => RandomSeed.Run(this, seed =>
    {
        foreach (var (block, prefix, value) in BlocksOf(seed))
        {
            for (int length = 0; length < block.Length; length++)
                Assert.False(DecodeGuarded(block[..length], prefix, value.Length));
        }
    });

    [Fact]
    public void TryDecode_EveryByteChanged_StaysInside() => RandomSeed.Run(this, seed =>
    {
        foreach (var (block, prefix, value) in BlocksOf(seed))
        {
            for (int at = 0; at < block.Length; at++)
            {
                foreach (byte mask in (byte[])[0xFF, 0x0F, 0xF0, 0x01, 0x80])
                {
                    byte[] changed = [.. block];
                    changed[at] ^= mask;
                    DecodeGuarded(changed, prefix, value.Length);
                }
            }
        }
    });

    [Fact]
    public void TryDecode_AnyTarget_IsFilledOrRefused() => RandomSeed.Run(this, seed =>
    {
        foreach (var (block, prefix, value) in BlocksOf(seed))
        {
            for (int length = 0; length <= value.Length + 40; length++)
                Assert.Equal(length == value.Length, DecodeGuarded(block, prefix, length));
        }
    });

    [Fact]
    public void TryDecode_Noise_StaysInside() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] prefix = Corpus.Noise(random, 512);
        for (int i = 0; i < 100_000; i++)
        {
            byte[] noise = Corpus.Noise(random, random.Next(64));
            // Small offsets and lengths reach deeper than bytes of any value.
            if (i % 2 == 0)
                Array.ForEach(Enumerable.Range(0, noise.Length).ToArray(), at => noise[at] &= 0x13);
            DecodeGuarded(noise, random.Next(2) == 0 ? prefix : [], random.Next(256));
        }
    });

    // As under a version check that fails: the bytes are those of one block, then of another, then both.
    [Fact]
    public async Task TryDecode_SourceChangesMeanwhile_StaysInside() => await RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        byte[] prefix = Corpus.Html(random, 20);
        byte[][] blocks = [.. Enumerable.Range(0, 64).Select(i => i % 4 == 0
            ? Corpus.Noise(random, 900)
            : Encode(Corpus.Html(random, i), new Lz4Dictionary(prefix)))];
        byte[] shared = new byte[blocks.Max(block => block.Length)];
        bool isOver = false;
        var writer = Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; !Volatile.Read(ref isOver); i++)
                    blocks[i % blocks.Length].CopyTo(shared, 0);
            },
            TaskCreationOptions.LongRunning);
        try
        {
            for (int i = 0; i < 20_000; i++)
                DecodeGuarded(shared, i, blocks[i % blocks.Length].Length, prefix);
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            await writer;
        }
    });

    private static IEnumerable<(byte[] Block, byte[] Prefix, byte[] Value)> BlocksOf(int seed)
    {
        var random = new Random(seed);
        byte[] prefix = [.. Enumerable.Range(0, 8).SelectMany(_ => Corpus.Json(random))];
        byte[][] values =
        [
            Corpus.Json(random), Corpus.Html(random, 3), Corpus.Runs(random, 300), Corpus.Noise(random, 40),
            new byte[700],
        ];
        foreach (byte[] value in values)
        {
            yield return (Encode(value, null), [], value);
            yield return (Encode(value, new Lz4Dictionary(prefix)), prefix, value);
        }
    }

    private static bool DecodeGuarded(byte[] source, byte[] prefix, int length)
    {
        byte[] target = new byte[length + 2 * GuardLength];
        target.AsSpan().Fill(Guard);
        bool isRead = Lz4Decoder.TryDecode(source, prefix, target.AsSpan(GuardLength, length));
        Assert.False(target.AsSpan(0, GuardLength).ContainsAnyExcept(Guard));
        Assert.False(target.AsSpan(GuardLength + length).ContainsAnyExcept(Guard));
        return isRead;
    }

    private static void DecodeGuarded(byte[] shared, int turn, int blockLength, byte[] prefix)
    {
        byte[] target = new byte[4000 + 2 * GuardLength];
        target.AsSpan().Fill(Guard);
        int length = turn * 31 % 4000;
        _ = Lz4Decoder.TryDecode(shared.AsSpan(0, blockLength), prefix, target.AsSpan(GuardLength, length));
        Assert.False(target.AsSpan(0, GuardLength).ContainsAnyExcept(Guard));
        Assert.False(target.AsSpan(GuardLength + length).ContainsAnyExcept(Guard));
    }

    private static byte[] Encode(byte[] value, Lz4Dictionary? dictionary)
    {
        byte[] target = new byte[value.Length + 64];
        Assert.True(Lz4Encoder.TryEncode(value, dictionary, target, out int written));
        return target[..written];
    }

    private static byte[] FromHex(string hex) => Convert.FromHexString(hex.Replace(" ", ""));
}
