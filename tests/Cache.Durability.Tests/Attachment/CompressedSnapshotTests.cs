using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Blocks of a snapshot are compressed where that makes them shorter.</summary>
public sealed class CompressedSnapshotTests : IDisposable
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Save_Compressed_IsShorterAndTheSame()
    {
        using var rig = Open(_directory);
        for (int i = 0; i < 2_000; i++)
            rig.Store.Set(RandomWrites.NameOf(i), new byte[i % 300]);
        rig.Store.Set("long"u8, new byte[600_000]);
        rig.Durable.Save();
        long plain = rig.Durable.Journal.SnapshotBytes;
        rig.Durable.Journal.CompressesSnapshots = true;
        rig.Durable.Save();
        Assert.InRange(rig.Durable.Journal.SnapshotBytes, 1, plain / 10);
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    [Fact]
    public void Save_ValuesThatCannotBeCompressed_AreWrittenAsTheyAre()
    {
        using var rig = Open(_directory);
        byte[] value = new byte[600_000];
        new Random(1).NextBytes(value);
        rig.Store.Set("long"u8, value);
        rig.Durable.Save();
        long plain = rig.Durable.Journal.SnapshotBytes;
        rig.Durable.Journal.CompressesSnapshots = true;
        rig.Durable.Save();
        Assert.InRange(rig.Durable.Journal.SnapshotBytes, plain - 64, plain);
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // The file of a cut value would decide otherwise.
    [Fact]
    public void Save_AnyBlockOfACompressedFileIsDamaged_IsRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var rig = Open(_directory);
        for (int i = 0; i < 2_000; i++)
            rig.Store.Set(RandomWrites.NameOf(i), new byte[i % 300]);
        rig.Durable.Journal.CompressesSnapshots = true;
        rig.Durable.Save();
        string name = _directory.List().Single(static file => file.EndsWith(".snap", StringComparison.Ordinal));
        byte[] whole = (byte[])_directory.ContentOf(name).Bytes.Clone();
        Assert.True(BlockHeader.TryRead(whole.AsSpan(FileHeader.Size), IdOf(whole), out var header));
        Assert.Equal(BlockHeader.Lz4Codec, header.Codec);
        for (int round = 0; round < 300; round++)
        {
            byte[] file = (byte[])whole.Clone();
            int cut = random.Next(3) == 0 ? random.Next(file.Length - FileHeader.BufferedAlignment) : file.Length;
            file[FileHeader.Size + random.Next(BlockHeader.Size + header.StoredBytes)] ^= (byte)random.Next(1, 256);
            var directory = new FaultyDirectory();
            using (var damaged = directory.Create(name, 0))
                damaged.Write(0, file.AsSpan(0, cut));
            Assert.Throws<RecoveryRefusedException>(() => ReadKeys(directory, name, StoreIdOf(whole)));
        }
    });

    [Theory]
    [InlineData("version-1.0.snap", BlockHeader.PlainCodec)]
    [InlineData("version-1.1.snap", BlockHeader.Lz4Codec)]
    public void Read_RecordedFile_HasItsEntries(string recorded, int codec)
    {
        using var stream = typeof(CompressedSnapshotTests).Assembly.GetManifestResourceStream(recorded)!;
        byte[] file = new byte[stream.Length];
        stream.ReadExactly(file);
        File.WriteAllBytes(Path.Combine(_folder.Path, recorded), file);
        Assert.True(BlockHeader.TryRead(file.AsSpan(FileHeader.Size), IdOf(file), out var header));
        Assert.Equal(codec, header.Codec);
        string[] keys =
            [.. Enumerable.Range(1, 9).Select(static i => $"0 key:{i} 0"), "0 moment 4102444800000", "3 other 0"];
        Assert.Equal(keys, ReadKeys(new SystemDirectory(_folder.Path), recorded, StoreIdOf(file)).Order());
    }

    private static ulong IdOf(byte[] file)
    {
        Assert.True(FileHeader.TryRead(file.AsSpan(0, FileHeader.Size), out var header, out _));
        return header.FileId;
    }

    private static ulong StoreIdOf(byte[] file)
    {
        Assert.True(FileHeader.TryRead(file.AsSpan(0, FileHeader.Size), out var header, out _));
        return header.StoreId;
    }

    private static List<string> ReadKeys(StorageDirectory directory, string name, ulong storeId)
    {
        List<string> keys = [];
        using var reader = new SnapshotReader(directory, name, storeId, skipsDamage: false);
        while (reader.TryRead(out _, out var payload))
        {
            var records = new RecordReader(payload);
            while (records.TryRead(out var record))
            {
                string key = Encoding.UTF8.GetString(record.Key);
                string value = Encoding.UTF8.GetString(record.Value);
                if (key.StartsWith("key:", StringComparison.Ordinal))
                    Assert.Equal($$"""{"name":"value {{key[4..]}}","kind":"recorded"}""", value);
                keys.Add($"{record.Fields.Keyspace} {key} {record.Fields.DeadlineMs}");
            }

            Assert.Empty(records.Problem);
        }

        return keys;
    }

    private void AssertStarts(CacheStore store, FaultyDirectory directory)
    {
        using var after = Open(directory);
        StoreRig.AssertSame(store, after.Store);
    }

    private StoreRig Open(FaultyDirectory directory) =>
        new(directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: false);
}
