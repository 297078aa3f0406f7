using System.Text;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Staging;

namespace Cache.Durability.Tests.Recovery;

/// <summary>Writes journals block by block, and reads them back as the keys that their records hold.</summary>
internal static class TestJournal
{
    public const ulong StoreId = 77;

    public static Manifest ManifestOf(params string[] journals) => new() { StoreId = StoreId, Journals = journals };

    /// <summary>Makes a file and gives its id.</summary>
    public static StorageFile Create(StorageDirectory directory, string name, ulong id, long length = 0)
    {
        var file = directory.Create(name, length);
        byte[] header = new byte[FileHeader.Size];
        new FileHeader(FileHeader.CurrentMajor, 0, FileHeader.BufferedAlignment, id, StoreId, 0, 0).Write(header);
        file.Write(0, header);
        return file;
    }

    /// <summary>Writes a block with one record for each key; where the next one begins.</summary>
    public static long Write(
        StorageFile file, long offset, ulong id, ulong sequence, ulong durable, params string[] keys)
    {
        byte[] block = Block(id, sequence, durable, keys);
        file.Write(offset, block);
        return offset + block.Length;
    }

    public static byte[] Block(ulong id, ulong sequence, ulong durable, params string[] keys)
    {
        using var payload = new MemoryStream();
        foreach (string key in keys)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(key);
            byte[] value = Encoding.UTF8.GetBytes($"value of {key}");
            byte[] record = new byte[RecordLayout.SizeOf(RecordKind.Set, RecordFlags.None, bytes.Length, value.Length)];
            RecordLayout.Write(record, new RecordFields { Kind = RecordKind.Set }, bytes, value, value.Length);
            payload.Write(record);
        }

        int stored = (int)payload.Length;
        byte[] block = new byte[BlockHeader.LengthOf(stored, FileHeader.BufferedAlignment)];
        payload.ToArray().CopyTo(block, BlockHeader.Size);
        uint checksum = Crc32C.OfQuarters(block.AsSpan(BlockHeader.Size, stored));
        new BlockHeader(
            id, sequence, durable, stored, stored, checksum, BlockKind.Journal, 0, 1000 * (long)sequence,
            sequence << 24).Write(block);
        return block;
    }

    /// <summary>The same block, compressed.</summary>
    public static byte[] PackedBlock(ulong id, ulong sequence, ulong durable, params string[] keys)
    {
        byte[] plain = Block(id, sequence, durable, keys);
        Assert.True(BlockHeader.TryRead(plain, id, out var header));
        byte[] memory = new byte[StagingChunk.Size];
        plain.CopyTo(memory, 0);
        return new BlockEncoder(compresses: true).Pack(memory, header, FileHeader.BufferedAlignment).ToArray();
    }

    /// <summary>The keys of all records, and that their values are right.</summary>
    public static List<string> ReadKeys(JournalReader reader)
    {
        List<string> keys = [];
        while (reader.TryRead(out _, out var payload))
        {
            var records = new RecordReader(payload);
            while (records.TryRead(out var record))
            {
                string key = Encoding.UTF8.GetString(record.Key);
                Assert.Equal($"value of {key}", Encoding.UTF8.GetString(record.Value));
                keys.Add(key);
            }

            Assert.Empty(records.Problem);
        }

        return keys;
    }

    public static List<string> ReadKeys(StorageDirectory directory, Manifest manifest, bool skipsDamage = false)
    {
        using var reader = new JournalReader(directory, manifest, skipsDamage);
        return ReadKeys(reader);
    }
}
