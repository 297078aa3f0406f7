using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Writes a file of entries, which becomes valid once it is complete and durable.</summary>
/// <remarks>
/// It has a temporary name until then. A value that is too long for a block is written in parts, before a block that
/// has only its record, so that the place of the record is known in advance. Not thread-safe.
/// </remarks>
internal sealed class SnapshotWriter : IDisposable
{
    private readonly StorageDirectory _directory;
    private readonly TimeProvider _time;
    private readonly BlockEncoder _encoder;
    private readonly byte[] _block = new byte[StagingChunk.Size];
    private readonly StorageFile _file;
    private readonly ulong _fileId;
    private int _used = BlockHeader.Size;
    private long _offset = FileHeader.Size;
    private ulong _sequence;
    private bool _isComplete;

    /// <param name="directory">The directory of the file.</param>
    /// <param name="manifest">Names the present files.</param>
    /// <param name="time">The clock for the times of blocks.</param>
    /// <param name="compresses">Whether blocks are compressed that become shorter by it.</param>
    /// <exception cref="IOException">The file cannot be created.</exception>
    public SnapshotWriter(StorageDirectory directory, Manifest manifest, TimeProvider time, bool compresses)
    {
        (_directory, _time, _encoder) = (directory, time, new BlockEncoder(compresses));
        long last = 0;
        foreach (string name in directory.List())
        {
            last = Math.Max(last, FileNames.SnapshotNumberOf(WithoutEnding(name)));
            // Left by a process that was killed before its manifest named it.
            if (FileNames.SnapshotNumberOf(name) != 0 && name != manifest.Base)
                directory.Delete(name);
            else if (name.EndsWith(FileNames.TemporaryEnding, StringComparison.Ordinal) && IsSnapshot(name))
                directory.Delete(name);
        }

        Name = FileNames.SnapshotOf(last + 1);
        _fileId = JournalFiles.NewId();
        _file = directory.Create(TemporaryName, length: 0);
        try
        {
            var header = new FileHeader(
                FileHeader.CurrentMajor, FileHeader.CurrentMinor, FileHeader.BufferedAlignment, _fileId,
                manifest.StoreId, FirstLsn: 0, WallMs());
            byte[] bytes = new byte[FileHeader.Size];
            header.Write(bytes);
            _file.Write(0, bytes);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The bytes of the file.</summary>
    public long Length => _offset;

    /// <summary>The name of the file once it is valid.</summary>
    public string Name { get; }

    private string TemporaryName => Name + FileNames.TemporaryEnding;

    /// <summary>Adds an entry.</summary>
    public void Add(RecordFields fields, ReadOnlySpan<byte> key, byte[] value, int length)
    {
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, key.Length, length);
        if (_used + size > _block.Length)
            WriteBlock(BlockKind.Snapshot);
        bool isParted = _used + size > _block.Length;
        if (isParted)
        {
            WriteParts(value, length);
            fields.Flags |= RecordFlags.Parted;
            size = RecordLayout.SizeOf(fields.Kind, fields.Flags, key.Length, length);
        }

        var bytes = isParted ? default : value.AsSpan(0, length);
        RecordLayout.Write(_block.AsSpan(_used, size), fields, key, bytes, length);
        _used += size;
        if (isParted)
            WriteBlock(BlockKind.Snapshot);
    }

    /// <summary>Ends the file: it is durable under its final name when this returns.</summary>
    public void Complete()
    {
        WriteBlock(BlockKind.Snapshot);
        WriteBlock(BlockKind.End);
        _file.Sync();
        _file.Dispose();
        _directory.Rename(TemporaryName, Name);
        _directory.Sync();
        _isComplete = true;
    }

    public void Dispose()
    {
        _file.Dispose();
        if (_isComplete)
            return;
        try
        {
            _directory.Delete(TemporaryName);
        }
        catch (IOException)
        {
            // The next one deletes it.
        }
    }

    private static string WithoutEnding(string name) =>
        name.Replace(FileNames.BadEnding, "", StringComparison.Ordinal)
            .Replace(FileNames.TemporaryEnding, "", StringComparison.Ordinal);

    private static bool IsSnapshot(string name) => FileNames.SnapshotNumberOf(WithoutEnding(name)) != 0;

    private long WallMs() => _time.GetUtcNow().ToUnixTimeMilliseconds();

    // The last block has no records, all others have some.
    private void WriteBlock(BlockKind kind)
    {
        if (_used == BlockHeader.Size && kind != BlockKind.End)
            return;
        int length = _used - BlockHeader.Size;
        ulong lsn = StagedPlace.LsnOf((long)++_sequence, BlockHeader.Size);
        var header = new BlockHeader(_fileId, _sequence, 0, length, length, 0, kind, 0, WallMs(), lsn);
        Write(_encoder.Pack(_block, header, FileHeader.BufferedAlignment));
        _used = BlockHeader.Size;
    }

    private void WriteParts(byte[] value, int length)
    {
        int count = BlockEncoder.PartCountOf(length);
        ulong lsn = StagedPlace.LsnOf((long)_sequence + count + 1, BlockHeader.Size);
        using var parted = new ArrayValue(lsn, value, length);
        for (int i = 0; i < count; i++)
        {
            Write(_encoder.EncodePart(
                parted, i, _fileId, ++_sequence, 0, FileHeader.BufferedAlignment, WallMs(), BlockKind.Snapshot));
        }
    }

    private void Write(ReadOnlyMemory<byte> block)
    {
        _file.Write(_offset, block.Span);
        _offset += block.Length;
    }

    private sealed class ArrayValue(ulong lsn, byte[] bytes, int length) : LongValue(lsn)
    {
        public override int Length => length;

        public override void CopyTo(int offset, Span<byte> part) => bytes.AsSpan(offset, part.Length).CopyTo(part);

        protected override void Dispose(bool disposing)
        {
        }
    }
}
