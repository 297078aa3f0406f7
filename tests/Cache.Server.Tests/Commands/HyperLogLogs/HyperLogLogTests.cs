using Cache.Server.Commands.HyperLogLogs;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.HyperLogLogs;

public sealed class HyperLogLogTests
{
    // Any bytes behind a header: read, changed, made dense, united, within their bounds.
    [Fact]
    public void AnyBytes_BehindAHeader_AreRefusedOrWhole() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] memory = new byte[HllEditor.MemorySize];
        byte[] most = new byte[HllFormat.Registers];
        for (int i = 0; i < 3_000; i++)
        {
            byte[] text = Sparse(random, isWhole: random.Next(2) == 0);
            var editor = new HllEditor(memory);
            var fault = editor.Read(text, exists: true);
            bool isWhole = HllFormat.TryMerge(text, most);
            Assert.Equal(isWhole, fault == HllFault.None);
            Assert.Equal(isWhole, HllEstimate.TryOf(text, out _));
            if (!isWhole)
                continue;
            for (int changes = 0; changes < 50; changes++)
            {
                int index = random.Next(HllFormat.Registers);
                int value = random.Next(1, 52);
                editor.Set(index, value);
                Assert.True(HllFormat.IsWhole(editor.Text));
                Assert.InRange(editor.Text.Length, HllFormat.HeaderLength + 1, HllFormat.LengthMax);
            }

            editor.MakeDense();
            Assert.Equal(HllFormat.DenseLength, editor.Text.Length);
        }
    });

    [Fact]
    public void Set_OfManyRegisters_IsTheHighestOfEach() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] memory = new byte[HllEditor.MemorySize];
        var editor = new HllEditor(memory);
        editor.Read(default, exists: false);
        byte[] expected = new byte[HllFormat.Registers];
        byte[] most = new byte[HllFormat.Registers];
        for (int i = 0; i < 6_000; i++)
        {
            int index = random.Next(HllFormat.Registers);
            int value = random.Next(1, i < 5_000 ? 33 : 52);
            Assert.Equal(value > expected[index], editor.Set(index, value));
            expected[index] = Math.Max(expected[index], (byte)value);
            if (i % 100 != 0)
                continue;
            most.AsSpan().Clear();
            Assert.True(HllFormat.TryMerge(editor.Text, most));
            Assert.Equal(expected, most);
        }
    });

    [Fact]
    public void SelfTest_OfRegistersAndEstimates_FindsNothing() => Assert.Null(HllSelfTest.Run());

    [Fact]
    public void Sparse_OfMoreThan3000Bytes_BecomesDense()
    {
        byte[] memory = new byte[HllEditor.MemorySize];
        var editor = new HllEditor(memory);
        editor.Read(default, exists: false);
        int longest = 0;
        for (int i = 0; HllFormat.IsSparse(editor.Text); i += 7)
        {
            longest = editor.Text.Length;
            editor.Set(i, 1 + i % 5);
        }

        Assert.InRange(longest, HllFormat.SparseLengthMax - 3, HllFormat.SparseLengthMax);
    }

    private static byte[] Sparse(Random random, bool isWhole)
    {
        List<byte> text = [.. "HYLL"u8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
        int left = HllFormat.Registers;
        while (left > 0)
        {
            switch (random.Next(3))
            {
                case 0:
                    int values = Math.Min(left, random.Next(1, 5));
                    text.Add((byte)(0x80 | random.Next(32) << 2 | (values - 1)));
                    left -= values;
                    break;
                case 1:
                    int zeros = Math.Min(left, random.Next(1, 65));
                    text.Add((byte)(zeros - 1));
                    left -= zeros;
                    break;
                default:
                    int many = Math.Min(left, random.Next(1, 5_000));
                    text.AddRange([(byte)(0x40 | (many - 1) >> 8), (byte)(many - 1)]);
                    left -= many;
                    break;
            }
        }

        if (isWhole)
            return [.. text];
        if (random.Next(3) == 0)
            text.RemoveRange(random.Next(16, text.Count), 1);
        else
            text[random.Next(16, text.Count)] = (byte)random.Next(256);
        return [.. text];
    }
}
