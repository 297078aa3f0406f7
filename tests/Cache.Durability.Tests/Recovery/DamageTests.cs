using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Recovery;

/// <summary>Whatever happens to a file: exact, a prefix or a refusal; never a wrong value or an error.</summary>
public sealed class DamageTests
{
    private const string Name = "jrnl-000001.cj";
    private const ulong Id = 0x0123456789ABCDEF;
    private const int Blocks = 6;

    private static readonly byte[] s_plain = WriteFile(TestJournal.Block);
    private static readonly byte[] s_packed = WriteFile(TestJournal.PackedBlock);

    private static readonly string[] s_keys =
        [.. Enumerable.Range(1, Blocks).SelectMany(static block => KeysOf(block))];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void File_AnyFlippedByte_IsExactPrefixOrRefused(bool isPacked)
    {
        byte[] whole = isPacked ? s_packed : s_plain;
        for (int offset = 0; offset < whole.Length; offset++)
        {
            foreach (byte mask in (byte[])[0x01, 0x80, 0xFF])
            {
                byte[] file = (byte[])whole.Clone();
                file[offset] ^= mask;
                AssertNothingWrong(file);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void File_AnyTruncation_IsExactPrefixOrRefused(bool isPacked)
    {
        byte[] whole = isPacked ? s_packed : s_plain;
        for (int length = 0; length <= whole.Length; length++)
            AssertNothingWrong(whole[..length]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void File_AnyZeroedSectors_IsExactPrefixOrRefused(bool isPacked)
    {
        byte[] whole = isPacked ? s_packed : s_plain;
        for (int first = 0; first < whole.Length; first += FaultyContent.SectorBytes)
        {
            for (int last = first; last < whole.Length; last += FaultyContent.SectorBytes)
            {
                byte[] file = (byte[])whole.Clone();
                file.AsSpan(first..Math.Min(file.Length, last + FaultyContent.SectorBytes)).Clear();
                AssertNothingWrong(file);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void File_AnyTwoSwappedSectors_IsExactPrefixOrRefused(bool isPacked)
    {
        byte[] whole = isPacked ? s_packed : s_plain;
        int sectors = whole.Length / FaultyContent.SectorBytes;
        for (int one = 0; one < sectors; one++)
        {
            for (int other = one + 1; other < sectors; other++)
            {
                byte[] file = (byte[])whole.Clone();
                Sector(whole, one).CopyTo(Sector(file, other));
                Sector(whole, other).CopyTo(Sector(file, one));
                AssertNothingWrong(file);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void File_AnyBlockWrittenToAnothersPlace_IsExactPrefixOrRefused(bool isPacked)
    {
        byte[] whole = isPacked ? s_packed : s_plain;
        for (int from = FileHeader.Size; from < whole.Length; from += FileHeader.BufferedAlignment)
        {
            for (int to = FileHeader.Size; to < whole.Length; to += FileHeader.BufferedAlignment)
            {
                byte[] file = (byte[])whole.Clone();
                int length = Math.Min(512, file.Length - Math.Max(from, to));
                whole.AsSpan(from, length).CopyTo(file.AsSpan(to));
                AssertNothingWrong(file);
            }
        }
    }

    [Fact]
    [PinnedSeeds(407139759)] // Equal errors in two quarters of a payload.
    public void File_RandomDamage_IsExactPrefixOrRefused() => RandomSeed.Run(this, static seed =>
    {
        foreach (byte[] whole in (byte[][])[s_plain, s_packed])
        {
            var random = new Random(seed);
            for (int round = 0; round < 3000; round++)
            {
                byte[] file = (byte[])whole.Clone();
                for (int i = random.Next(1, 20); i > 0; i--)
                    file[random.Next(FileHeader.Size, file.Length)] = (byte)random.Next(256);
                AssertNothingWrong(file);
            }
        }
    });

    [Fact]
    public void PowerLoss_AnyUnsyncedSectorsKept_IsAPrefixWithAllThatWasSynced() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 300; round++)
        {
            var directory = new FaultyDirectory();
            var file = TestJournal.Create(directory, Name, Id, length: 16 << 10);
            file.Sync();
            directory.Sync();
            long offset = FileHeader.Size;
            int durable = 0;
            int written = random.Next(1, 20);
            for (int block = 1; block <= written; block++)
            {
                offset = TestJournal.Write(file, offset, Id, (ulong)block, (ulong)durable, KeysOf(block));
                if (random.Next(4) != 0)
                    continue;
                file.Sync();
                durable = block;
            }

            var keys = TestJournal.ReadKeys(directory.AfterPowerLoss(random), TestJournal.ManifestOf(Name));
            string[] all = [.. Enumerable.Range(1, written).SelectMany(static block => KeysOf(block))];
            Assert.Equal(all[..keys.Count], keys);
            Assert.InRange(keys.Count, durable * KeysOf(1).Length, all.Length);
        }
    });

    private static string[] KeysOf(int block) => [$"key {block} a", $"key {block} bb", $"key {block} ccc"];

    private static byte[] WriteFile(Func<ulong, ulong, ulong, string[], byte[]> getBlock)
    {
        var directory = new FaultyDirectory();
        using var file = TestJournal.Create(directory, Name, Id);
        long offset = FileHeader.Size;
        for (int block = 1; block <= Blocks; block++)
        {
            ulong durable = (ulong)(block <= Blocks / 2 ? 0 : Blocks / 2);
            byte[] bytes = getBlock(Id, (ulong)block, durable, KeysOf(block));
            file.Write(offset, bytes);
            offset += bytes.Length;
        }

        return directory.ContentOf(Name).Bytes;
    }

    private static Span<byte> Sector(byte[] file, int sector) =>
        file.AsSpan(sector * FaultyContent.SectorBytes, FaultyContent.SectorBytes);

    private static void AssertNothingWrong(byte[] bytes)
    {
        var directory = new FaultyDirectory();
        using (var file = directory.Create(Name, 0))
            file.Write(0, bytes);
        var manifest = TestJournal.ManifestOf(Name);
        AssertPrefix(directory, manifest, isWhole: false);
        AssertPrefix(directory, manifest with { State = ManifestState.Clean, EndSequence = Blocks }, isWhole: true);
        AssertSkipped(directory, manifest);
    }

    private static void AssertPrefix(StorageDirectory directory, Manifest manifest, bool isWhole)
    {
        try
        {
            var keys = TestJournal.ReadKeys(directory, manifest);
            Assert.Equal(s_keys[..keys.Count], keys);
            Assert.True(!isWhole || keys.Count == s_keys.Length);
        }
        catch (RecoveryRefusedException)
        {
        }
    }

    // What was skipped is missing; the rest is right and in its order.
    private static void AssertSkipped(StorageDirectory directory, Manifest manifest)
    {
        try
        {
            var keys = TestJournal.ReadKeys(directory, manifest, skipsDamage: true);
            Assert.Equal(s_keys.Where(keys.Contains), keys);
        }
        catch (RecoveryRefusedException)
        {
        }
    }
}
