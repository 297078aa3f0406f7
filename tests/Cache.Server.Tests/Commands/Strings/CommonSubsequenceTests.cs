using System.Text;
using Cache.Server.Commands.Strings;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Strings;

public sealed class CommonSubsequenceTests
{
    [Fact]
    public void CopyTo_RandomStrings_GivesWhatTheTableGives() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 500; i++)
        {
            int values = random.Next(1, 6);
            byte[] first = RandomBytes(random, values);
            byte[] second = RandomBytes(random, values);
            byte[] expected = WalkTable(first, second);

            using var subsequence = new CommonSubsequence(first, second, isLengthOnly: false);
            byte[] actual = new byte[subsequence.Length];
            subsequence.CopyTo(actual);
            using var lengthOnly = new CommonSubsequence(first, second, isLengthOnly: true);

            Assert.Equal(Encoding.ASCII.GetString(expected), Encoding.ASCII.GetString(actual));
            Assert.Equal(expected.Length, lengthOnly.Length);
            AssertRangesSpell(expected, first, second);
        }
    });

    [Fact]
    public void FindRanges_Minimum_LeavesOutShorterOnes()
    {
        using var subsequence = new CommonSubsequence("ohmytext"u8, "mynewtext"u8, isLengthOnly: false);

        Assert.Equal([new CommonRange(4, 5, 4), new CommonRange(2, 0, 2)], subsequence.FindRanges(2));
        Assert.Equal([new CommonRange(4, 5, 4)], subsequence.FindRanges(3));
        Assert.Empty(subsequence.FindRanges(5));
    }

    private static void AssertRangesSpell(byte[] expected, byte[] first, byte[] second)
    {
        using var subsequence = new CommonSubsequence(first, second, isLengthOnly: false);
        var spelt = new List<byte>();
        var ranges = subsequence.FindRanges(0);
        ranges.Reverse();
        foreach (var range in ranges)
        {
            byte[] stretch = first[range.First..(range.First + range.Length)];
            Assert.Equal(stretch, second[range.Second..(range.Second + range.Length)]);
            spelt.AddRange(stretch);
        }

        Assert.Equal(expected, spelt);
    }

    private static byte[] RandomBytes(Random random, int values)
    {
        // Around the ends of words of 64 bits, and well beyond.
        int[] lengths = [0, 1, 5, 63, 64, 65, 127, 128, 129, 300];
        byte[] bytes = new byte[lengths[random.Next(lengths.Length)]];
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)('a' + random.Next(values));
        return bytes;
    }

    /// <summary>The textbook's table, walked back in Redis's order.</summary>
    private static byte[] WalkTable(byte[] first, byte[] second)
    {
        int[,] lengths = new int[first.Length + 1, second.Length + 1];
        for (int i = 1; i <= first.Length; i++)
        {
            for (int j = 1; j <= second.Length; j++)
            {
                lengths[i, j] = first[i - 1] == second[j - 1]
                    ? lengths[i - 1, j - 1] + 1
                    : Math.Max(lengths[i - 1, j], lengths[i, j - 1]);
            }
        }

        var found = new List<byte>();
        for (int i = first.Length, j = second.Length; i > 0 && j > 0;)
        {
            if (first[i - 1] == second[j - 1])
            {
                found.Add(first[--i]);
                j--;
            }
            else if (lengths[i - 1, j] > lengths[i, j - 1])
            {
                i--;
            }
            else
            {
                j--;
            }
        }

        found.Reverse();
        return [.. found];
    }
}
