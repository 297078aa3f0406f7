using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Recovery;

public sealed class JournalReaderTests
{
    private const string First = "jrnl-000001.cj";
    private const string Second = "jrnl-000002.cj";
    private const string Third = "jrnl-000003.cj";

    private readonly FaultyDirectory _directory = new();

    [Fact]
    public void TryRead_NoJournal_IsTheEnd() => Assert.Empty(Read(TestJournal.ManifestOf()));

    [Fact]
    public void TryRead_EmptyJournal_IsTheEnd()
    {
        TestJournal.Create(_directory, First, id: 1, length: 8192);
        Assert.Empty(Read(TestJournal.ManifestOf(First)));
    }

    [Fact]
    public void TryRead_Blocks_ComeInTheirOrder()
    {
        WriteFive(First, id: 1, from: 1);
        Assert.Equal(["1", "2", "3", "4", "5"], Read(TestJournal.ManifestOf(First)));
    }

    [Fact]
    public void TryRead_MissingFile_IsRefused()
    {
        var failure = Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First)));
        Assert.Equal($"{First} is missing.", failure.Message);
    }

    // Each of its headers promises a long payload, which is not there: a checksum for each would take minutes.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TryRead_HeadersEverywhere_TakesTimeForItsLengthOnly(bool skipsDamage)
    {
        const int Length = 4 << 20;
        using (var file = TestJournal.Create(_directory, First, id: 1, Length))
        {
            byte[] header = new byte[BlockHeader.Size];
            for (long offset = FileHeader.Size; offset < Length; offset += header.Length)
            {
                const int Stored = BlockHeader.PayloadBytesMax;
                new BlockHeader(1, (ulong)offset, 9, Stored, Stored, 7, BlockKind.Journal, 0, 0, 0).Write(header);
                file.Write(offset, header);
            }
        }

        using var reader = BlockReader.Open(_directory, First, TestJournal.StoreId, skipsDamage);
        for (long at = FileHeader.Size; (at = reader.Find(at, out _)) >= 0; at += FileHeader.BufferedAlignment)
        {
            reader.MoveTo(at);
            Assert.False(reader.TryRead(out _, out _));
        }

        Assert.InRange(reader.FailedBytes, Length, 3 * Length);
        if (skipsDamage)
            Assert.Empty(TestJournal.ReadKeys(_directory, TestJournal.ManifestOf(First), skipsDamage));
        else
            Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First)));
    }

    [Fact]
    public void TryRead_FileOfAnotherStore_IsRefused()
    {
        WriteFive(First, id: 1, from: 1);
        Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First) with { StoreId = 1 }));
    }

    [Fact]
    public void TryRead_SeveralFiles_AreOneJournal()
    {
        WriteFive(First, id: 1, from: 1);
        WriteFive(Second, id: 2, from: 6);
        Assert.Equal(
            ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], Read(TestJournal.ManifestOf(First, Second)));
    }

    [Fact]
    public void TryRead_RestOfAFileThatWasNotUsedAnyMore_IsPassed()
    {
        var places = WriteFive(First, id: 1, from: 1);
        Flip(First, places[3]);
        WriteFive(Second, id: 2, from: 4);
        Assert.Equal(["1", "2", "3", "4", "5", "6", "7", "8"], Read(TestJournal.ManifestOf(First, Second)));
    }

    [Fact]
    public void TryRead_OldBlocksOfARecycledFile_DoNotCount()
    {
        WriteFive(First, id: 1, from: 1);
        var file = _directory.Open(First, writable: true);
        byte[] header = new byte[FileHeader.Size];
        new FileHeader(1, 0, 64, 2, TestJournal.StoreId, 0, 0).Write(header);
        file.Write(0, header);
        TestJournal.Write(file, FileHeader.Size, id: 2, sequence: 1, durable: 0, "new");
        Assert.Equal(["new"], Read(TestJournal.ManifestOf(First)));
    }

    [Fact]
    public void TryRead_BadBlockThatWasNotSynced_IsTheEnd()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 2);
        Flip(First, places[2]);
        using var reader = new JournalReader(_directory, TestJournal.ManifestOf(First), skipsDamage: false);
        Assert.Equal(["1", "2"], TestJournal.ReadKeys(reader));
        Assert.Equal((First, places[2], 3UL), (reader.Tail!.File, reader.Tail.Offset, reader.Tail.Sequence));
        Assert.Equal(3000, reader.Tail.Milliseconds);
        Assert.True(reader.Tail.Bytes > 0);
    }

    [Fact]
    public void TryRead_BadBlockThatWasSynced_IsRefused()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 3);
        Flip(First, places[2]);
        var failure = Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First)));
        Assert.Equal(places[2], failure.Offset);
        Assert.Equal($"{First} lacks block 3, which was on the disk, at byte {places[2]}.", failure.Message);
    }

    [Fact]
    public void TryRead_BadBlockThatALaterFileKnows_IsRefused()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 0);
        WriteFive(Second, id: 2, from: 6, durable: 5);
        Flip(First, places[4]);
        Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First, Second)));
    }

    [Fact]
    public void TryRead_FirstBlockOfAll_IsChecked()
    {
        WriteFive(First, id: 1, from: 4, durable: 3);
        var manifest = TestJournal.ManifestOf(First);
        Assert.Equal(["4", "5", "6", "7", "8"], Read(manifest with { FromSequence = 4 }));
        Assert.Throws<RecoveryRefusedException>(() => Read(manifest with { FromSequence = 3 }));
    }

    [Fact]
    public void TryRead_CleanJournalWithoutItsEnd_IsRefused()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 0);
        var manifest = TestJournal.ManifestOf(First) with { State = ManifestState.Clean, EndSequence = 5 };
        Assert.Equal(["1", "2", "3", "4", "5"], Read(manifest));
        Flip(First, places[4]);
        Assert.Throws<RecoveryRefusedException>(() => Read(manifest));
        Assert.Throws<RecoveryRefusedException>(() => Read(manifest with { Journals = [] }));
    }

    [Fact]
    public void TryRead_SkippedDamage_IsReported()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 4);
        Flip(First, places[1]);
        Flip(First, places[2]);
        using var reader = new JournalReader(_directory, TestJournal.ManifestOf(First), skipsDamage: true);
        Assert.Equal(["1", "4", "5"], TestJournal.ReadKeys(reader));
        Assert.Equal([new Gap(First, places[1], 2, 3)], reader.Gaps);
    }

    [Fact]
    public void TryRead_SkippedDamageUpToTheEnd_IsReported()
    {
        var places = WriteFive(First, id: 1, from: 1, durable: 0);
        Flip(First, places[4]);
        var manifest = TestJournal.ManifestOf(First) with { State = ManifestState.Clean, EndSequence = 5 };
        using var reader = new JournalReader(_directory, manifest, skipsDamage: true);
        Assert.Equal(["1", "2", "3", "4"], TestJournal.ReadKeys(reader));
        Assert.Equal([new Gap(First, places[4], 5, 5)], reader.Gaps);
    }

    [Fact]
    public void TryRead_DamageBehindDamage_IsSearchedOnce()
    {
        const int Blocks = 400;
        List<string> keys = [];
        long offset = FileHeader.Size;
        using (var file = TestJournal.Create(_directory, First, id: 1))
        {
            for (int i = 1; i <= Blocks; i++)
            {
                long place = offset;
                offset = TestJournal.Write(file, offset, 1, (ulong)i, (ulong)i - 1, $"{i}");
                if (i % 2 == 0)
                    Flip(First, place);
                else
                    keys.Add($"{i}");
            }
        }

        WriteFive(Second, id: 2, from: Blocks + 1);
        WriteFive(Third, id: 3, from: Blocks + 6);
        keys.AddRange(Enumerable.Range(Blocks + 1, 10).Select(static i => $"{i}"));
        int before = _directory.Calls[(int)Operation.Read];

        using var reader = new JournalReader(
            _directory, TestJournal.ManifestOf(First, Second, Third), skipsDamage: true);
        Assert.Equal(keys, TestJournal.ReadKeys(reader));
        Assert.Equal(Blocks / 2, reader.Gaps.Count);
        Assert.InRange(_directory.Calls[(int)Operation.Read] - before, 1, 30);
    }

    // The usual way in which a disk loses a sector: an error, not other bytes.
    [Fact]
    public void TryRead_SectorThatCannotBeRead_IsSkippedAsDamage()
    {
        string[] keys = [.. Enumerable.Range(1, 5).Select(static i => $"{i}".PadRight(9000))];
        long offset = FileHeader.Size;
        long third = 0;
        using (var file = TestJournal.Create(_directory, First, id: 1))
        {
            for (int i = 0; i < keys.Length; i++)
            {
                third = i == 2 ? offset : third;
                offset = TestJournal.Write(file, offset, 1, (ulong)i + 1, (ulong)i, keys[i]);
            }
        }

        _directory.ContentOf(First).UnreadableAt = third + 4096;

        Assert.ThrowsAny<IOException>(() => Read(TestJournal.ManifestOf(First)));
        using var reader = new JournalReader(_directory, TestJournal.ManifestOf(First), skipsDamage: true);
        Assert.Equal([keys[0], keys[1], keys[3], keys[4]], TestJournal.ReadKeys(reader));
        Assert.Equal([new Gap(First, third, 3, 3)], reader.Gaps);
    }

    [Fact]
    public void TryRead_BlockOfAnUnknownCodec_IsRefused()
    {
        var file = TestJournal.Create(_directory, First, id: 1);
        byte[] block = TestJournal.Block(1, 1, 0, "key");
        Assert.True(BlockHeader.TryRead(block, 1, out var header));
        (header with { Codec = 2 }).Write(block);
        file.Write(FileHeader.Size, block);
        var refused = Assert.Throws<RecoveryRefusedException>(() => Read(TestJournal.ManifestOf(First)));
        Assert.Contains("has a block of codec 2", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_CompressedBlock_IsUnpacked()
    {
        var file = TestJournal.Create(_directory, First, id: 1);
        byte[] block = TestJournal.PackedBlock(1, 1, 0, "one", "two", "three");
        Assert.True(BlockHeader.TryRead(block, 1, out var header));
        Assert.Equal(BlockHeader.Lz4Codec, header.Codec);
        Assert.InRange(header.StoredBytes, 1, header.RawBytes - 1);
        file.Write(FileHeader.Size, block);
        Assert.Equal(["one", "two", "three"], Read(TestJournal.ManifestOf(First)));
    }

    // Made to harm: every checksum is right, and nothing else need be.
    [Fact]
    public void TryRead_PackedBytesThatAreNone_AreRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < 3_000; round++)
        {
            var directory = new FaultyDirectory();
            using var file = TestJournal.Create(directory, First, id: 1);
            byte[] block = TestJournal.PackedBlock(1, 1, 1, "one", "two", "three");
            Assert.True(BlockHeader.TryRead(block, 1, out var header));
            var stored = block.AsSpan(BlockHeader.Size, header.StoredBytes);
            for (int i = random.Next(4); i > 0; i--)
                stored[random.Next(stored.Length)] = (byte)random.Next(256);
            int[] lengths = [header.RawBytes, header.RawBytes - 1, header.RawBytes + 8, 0, BlockHeader.PayloadBytesMax];
            header = header with
            {
                RawBytes = lengths[random.Next(lengths.Length)],
                PayloadChecksum = Crc32C.OfQuarters(stored),
            };
            header.Write(block);
            file.Write(FileHeader.Size, block);
            bool isRight = stored.SequenceEqual(
                TestJournal.PackedBlock(1, 1, 1, "one", "two", "three").AsSpan(BlockHeader.Size, stored.Length));
            var reader = BlockReader.Open(directory, First, TestJournal.StoreId);
            bool isRead = reader.TryRead(out _, out var payload);
            Assert.True(isRead || !isRight || header.RawBytes != lengths[0]);
            Assert.True(!isRead || payload.Length == header.RawBytes);
            refused += isRead ? 0 : 1;
        }

        Assert.InRange(refused, 1_000, 3_000);
    });

    [Fact]
    public void TryRead_EmptyFileBetweenOthers_IsPassed()
    {
        WriteFive(First, id: 1, from: 1);
        TestJournal.Create(_directory, Second, id: 2, length: 8192);
        WriteFive(Third, id: 3, from: 6);
        Assert.Equal(10, Read(TestJournal.ManifestOf(First, Second, Third)).Count);
    }

    private List<string> Read(Manifest manifest) => TestJournal.ReadKeys(_directory, manifest);

    // The places of five blocks; each knows so many to be durable, but none that comes later.
    private long[] WriteFive(string name, ulong id, int from, int durable = int.MaxValue)
    {
        using var file = TestJournal.Create(_directory, name, id);
        long[] places = new long[5];
        long offset = FileHeader.Size;
        for (int i = 0; i < places.Length; i++)
        {
            places[i] = offset;
            int sequence = from + i;
            offset = TestJournal.Write(
                file, offset, id, (ulong)sequence, (ulong)Math.Min(durable, sequence - 1), $"{sequence}");
        }

        return places;
    }

    private void Flip(string name, long offset)
    {
        var content = _directory.ContentOf(name);
        content.Damage((int)offset + BlockHeader.Size, [(byte)~content.Bytes[offset + BlockHeader.Size]]);
    }
}
