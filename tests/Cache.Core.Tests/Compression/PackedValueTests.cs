using Cache.Core.Compression;
using Cache.Testing;

namespace Cache.Core.Tests.Compression;

/// <summary>The bytes of compressed values: each form, and what is none.</summary>
public sealed class PackedValueTests
{
    private readonly DictionaryTable _dictionaries = new();

    [Theory]
    [InlineData(24, 2)]
    [InlineData(127, 2)]
    [InlineData(128, 3)]
    [InlineData(16_383, 3)]
    [InlineData(16_384, 4)]
    [InlineData(PackedValue.LengthMax, 4)]
    public void TryPack_ValueThatRepeatsItself_IsTheSameAfterwards(int length, int prefixSize)
    {
        byte[] value = StoreFixture.Filled(length, (byte)'a');
        byte[] packed = new byte[length];

        Assert.True(PackedValue.TryPack(value, PackedValue.NoDictionary, null, packed, out int written));
        Assert.True(PackedValue.TryReadPrefix(packed.AsSpan(0, written), out var prefix));

        Assert.Equal(new PackedPrefix(PackedValue.NoDictionary, length, prefixSize), prefix);
        Assert.Equal(length, PackedValue.LengthOf(packed.AsSpan(0, written)));
        Assert.Equal(value, Unpacked(packed.AsSpan(0, written)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    [InlineData(23)]
    public void TryPack_ShortValue_IsNotTried(int length) =>
        Assert.False(PackedValue.TryPack(
            new byte[length], PackedValue.NoDictionary, null, new byte[64], out _));

    // All of the prefix counts: what is kept is shorter by 8 bytes and an eighth.
    [Fact]
    public void TryPack_EveryLength_KeepsOnlyWhatSavesEnough() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int kept = 0;
        for (int length = 0; length < 600; length++)
        {
            byte[] value = new byte[length];
            random.NextBytes(value.AsSpan(0, random.Next(length + 1)));
            byte[] packed = new byte[length];
            if (!PackedValue.TryPack(value, PackedValue.NoDictionary, null, packed, out int written))
                continue;
            kept++;
            Assert.True(length - written >= Math.Max(8, length / 8), $"{written} of {length}");
            Assert.Equal(value, Unpacked(packed.AsSpan(0, written)));
        }

        Assert.InRange(kept, 100, 500);
    });

    [Fact]
    public void TryUnpack_WithoutItsDictionary_IsRefused()
    {
        byte[] value = "{\"name\":\"somebody\",\"city\":\"somewhere\",\"age\":42}"u8.ToArray();
        _dictionaries.Add(new Lz4Dictionary([.. value]));
        byte[] packed = new byte[value.Length];
        Assert.True(PackedValue.TryPack(
            value, _dictionaries.Current, _dictionaries.CurrentDictionary, packed, out int written));
        Assert.Equal(value, Unpacked(packed.AsSpan(0, written)));

        packed[0] = 9;

        Assert.Null(Unpacked(packed.AsSpan(0, written)));
    }

    [Fact]
    public void TryReadPrefix_OfAnyBytes_IsWithinItsBoundsOrRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int read = 0;
        for (int i = 0; i < 100_000; i++)
        {
            byte[] bytes = new byte[random.Next(8)];
            random.NextBytes(bytes);
            if (bytes.Length > 0 && random.Next(2) == 0)
                bytes[0] &= 0xF;
            if (!PackedValue.TryReadPrefix(bytes, out var prefix))
                continue;
            read++;
            Assert.InRange(prefix.Codec, 0, PackedValue.CodecCount - 1);
            Assert.InRange(prefix.Length, PackedValue.LengthMin, PackedValue.LengthMax);
            Assert.InRange(prefix.Size, 2, bytes.Length);
            Unpacked(bytes); // Is refused, or decodes; it never throws.
        }

        Assert.True(read > 1_000);
    });

    [Theory]
    [InlineData(100)]
    [InlineData(5_000)]
    public void PartOfValue_AnyPart_IsThatOfTheValue(int length)
    {
        byte[] value = [.. Enumerable.Range(0, length).Select(static i => (byte)(i / 20))];
        byte[] packed = new byte[length];
        Assert.True(PackedValue.TryPack(value, PackedValue.NoDictionary, null, packed, out int written));
        Assert.True(PackedValue.TryReadPrefix(packed.AsSpan(0, written), out var prefix));

        foreach (int offset in new[] { 0, 1, length / 2, length - 1 })
        {
            byte[] part = new byte[Math.Min(30, length - offset)];
            Assert.True(PartOfValue.TryUnpack(packed.AsSpan(0, written), prefix, _dictionaries, offset, part));
            Assert.Equal(value.AsSpan(offset, part.Length).ToArray(), part);
        }

        Assert.False(PartOfValue.TryUnpack(packed.AsSpan(0, written - 1), prefix, _dictionaries, 0, new byte[5]));
    }

    [Fact]
    public void DictionaryTable_NumbersThatAreInUse_AreNotGivenAgain()
    {
        var numbers = new List<int>();
        for (int i = 0; i < 40; i++)
        {
            _dictionaries.Add(new Lz4Dictionary([(byte)i, 1, 2, 3, 4]));
            numbers.Add(_dictionaries.Current);
            if (numbers.Count < DictionaryTable.CountMax)
                continue;
            int removed = numbers[1]; // The first one stays in use for ever.
            _dictionaries.Remove(removed);
            numbers.RemoveAt(1);
            Assert.False(_dictionaries.IsKnown(removed));
        }

        Assert.True(_dictionaries.TryGet(numbers[0], out var oldest));
        Assert.Equal(0, oldest[0]);
        Assert.Equal(DictionaryTable.CountMax - 1, _dictionaries.Count);
        Assert.Equal(numbers.Count, numbers.Distinct().Count());
    }

    [Fact]
    public void SuccessRates_OfWhatSeldomGains_TriesOneInSixteenOfThatLengthAlone()
    {
        var rates = new SuccessRates();
        for (int i = 0; i < 100; i++)
        {
            rates.Note(200, isWorthIt: false);
            rates.Note(5_000, isWorthIt: true);
        }

        int TriesOf(int length) => Enumerable.Range(0, 1_600).Count(_ => rates.IsWorthTrying(length));
        Assert.Equal((100, 1_600, 1_600), (TriesOf(200), TriesOf(5_000), TriesOf(30)));

        for (int i = 0; i < 16; i++)
            rates.Note(200, isWorthIt: true);
        Assert.Equal(1_600, TriesOf(200));
    }

    private byte[]? Unpacked(ReadOnlySpan<byte> packed)
    {
        if (!PackedValue.TryReadPrefix(packed, out var prefix))
            return null;
        byte[] value = new byte[prefix.Length];
        return PackedValue.TryUnpack(packed, prefix, _dictionaries, value) ? value : null;
    }
}
