using System.Diagnostics;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Writes at the end of the journal.</summary>
/// <remarks>
/// One thread writes blocks, another syncs the blocks that were written before it began; neither holds the gate
/// meanwhile. A file is in the manifest before its first block is written. After an error none of its files is written
/// again.
/// </remarks>
internal sealed class JournalWriter : IDisposable
{
    private readonly StoreCatalog _catalog;
    private readonly JournalFiles _files;
    private readonly JournalOptions _options;
    private readonly BlockEncoder _encoder = new();
    private readonly List<ReadOnlyMemory<byte>> _batch = [];
    private volatile string[] _names = [];
    private volatile bool _isListed;

    // For the writing thread only.
    private StorageFile? _file;
    private ulong _fileId;
    private (StorageFile File, ulong Id)? _next;
    private long _offset;
    private long _batchBytes;
    private ulong _sequence;
    private long _writtenBytes;

    // Guarded by the gate: written and not synced yet.
    private readonly Lock _gate = new();
    private readonly List<StorageFile> _ended = [];
    private ulong _written;
    private ulong _writtenLsn;
    private long _unsyncedSince;

    // Written by the syncing thread, read by any.
    private ulong _durable;
    private ulong _durableLsn;

    /// <param name="catalog">Knows the valid files.</param>
    /// <param name="files">Creates files.</param>
    /// <param name="lastSequence">The last valid block.</param>
    /// <param name="options">The length of a file and the clock.</param>
    public JournalWriter(StoreCatalog catalog, JournalFiles files, ulong lastSequence, JournalOptions options)
    {
        _catalog = catalog;
        _files = files;
        _options = options;
        (_sequence, _written, _durable) = (lastSequence, lastSequence, lastSequence);
    }

    /// <summary>Whether the manifest names its files, which continue the existing ones.</summary>
    /// <remarks>Changed only between two writes.</remarks>
    public bool IsListed
    {
        get => _isListed;
        set => _isListed = value;
    }

    /// <summary>The last written block.</summary>
    public ulong LastSequence => _sequence;

    /// <summary>The bytes written so far.</summary>
    public long WrittenBytes => Volatile.Read(ref _writtenBytes);

    /// <summary>The files that it has begun, in order.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>Every record before this place is durable.</summary>
    public ulong DurableLsn => Volatile.Read(ref _durableLsn);

    /// <summary>The time that the oldest unsynced block has waited; zero if there is none.</summary>
    public TimeSpan UnsyncedFor
    {
        get
        {
            lock (_gate)
                return _written == _durable ? TimeSpan.Zero : _options.Time.GetElapsedTime(_unsyncedSince);
        }
    }

    /// <summary>Writes complete chunks, in one system call if they fit in the file.</summary>
    /// <exception cref="IOException">Some may have been written; this object cannot be used any more.</exception>
    public void Write(IReadOnlyList<StagingChunk> chunks)
    {
        long wallMs = _options.Time.GetUtcNow().ToUnixTimeMilliseconds();
        foreach (var chunk in chunks)
        {
            WriteParts(chunk, wallMs);
            MakeRoom(BlockHeader.LengthOf(chunk.Used - BlockHeader.Size, FileHeader.BufferedAlignment));
            var block = BlockEncoder.Encode(
                chunk, _fileId, ++_sequence, Volatile.Read(ref _durable), FileHeader.BufferedAlignment, wallMs);
            _batch.Add(block);
            _batchBytes += block.Length;
        }

        Flush();
        lock (_gate)
        {
            if (_written == _durable)
                _unsyncedSince = _options.Time.GetTimestamp();
            _written = _sequence;
            if (chunks.Count > 0)
                _writtenLsn = StagedPlace.LsnOf(chunks[^1].Sequence + 1, 0);
        }
    }

    /// <summary>Makes all written blocks durable.</summary>
    /// <exception cref="IOException">It is unknown what is durable; this object cannot be used any more.</exception>
    public void Sync()
    {
        List<StorageFile> ended;
        StorageFile? file;
        ulong written;
        ulong writtenLsn;
        long began = _options.Time.GetTimestamp();
        lock (_gate)
        {
            if (_written == _durable)
                return;
            ended = [.. _ended];
            _ended.Clear();
            (file, written, writtenLsn) = (_file, _written, _writtenLsn);
        }

        foreach (var old in ended)
        {
            using (old)
                old.Sync();
        }

        if (_options.Sync == SyncPolicy.No)
            _files.Sync(_names); // Files that have ended: they are no longer open.

        file?.Sync();
        lock (_gate)
        {
            _durable = written;
            _unsyncedSince = began;
        }

        Volatile.Write(ref _durableLsn, writtenLsn);
    }

    /// <summary>Makes the file of the first block. For the writing thread, between two writes.</summary>
    /// <exception cref="IOException">There is no room for the file: nothing was changed.</exception>
    public void PrepareFile()
    {
        if (_file == null)
            _next ??= TakeFile();
    }

    /// <summary>
    /// Begins a new file for the next block, which is created before the present one ends: on a full disk that one
    /// continues. For the writing thread, between two writes.
    /// </summary>
    /// <exception cref="IOException">There is no room for the file: nothing was changed.</exception>
    public void BeginFile()
    {
        if (_file == null)
            return;
        _next ??= TakeFile();
        EndFile();
    }

    /// <summary>Ends the present file. For the writing thread, between two writes.</summary>
    public void EndFile()
    {
        Debug.Assert(_batch.Count == 0);
        lock (_gate)
        {
            if (_options.Sync == SyncPolicy.No)
                _file?.Dispose();
            else if (_file != null)
                _ended.Add(_file);
            _file = null;
        }
    }

    /// <summary>
    /// Forgets its first files, which are no longer valid. For the writing thread, between two writes.
    /// </summary>
    public IReadOnlyList<string> Forget(int count)
    {
        string[] forgotten = _names[..count];
        _names = _names[count..];
        return forgotten;
    }

    public void Dispose()
    {
        _next?.File.Dispose();
        _file?.Dispose();
        foreach (var file in _ended)
            file.Dispose();
    }

    private void WriteParts(StagingChunk chunk, long wallMs)
    {
        foreach (var value in chunk.LongValues)
        {
            int count = BlockEncoder.PartCountOf(value.Length);
            for (int i = 0; i < count; i++)
            {
                MakeRoom(StagingChunk.Size);
                var block = _encoder.EncodePart(
                    value, i, _fileId, ++_sequence, Volatile.Read(ref _durable), FileHeader.BufferedAlignment, wallMs,
                    BlockKind.Journal);
                _batch.Add(block);
                _batchBytes += block.Length;
                Flush(); // The next part uses the same memory.
            }
        }
    }

    private void MakeRoom(int length)
    {
        if (_file != null && _offset + _batchBytes + length <= _options.FileBytes)
            return;
        Flush();
        var (next, id) = _next ?? TakeFile();
        _next = null;
        _names = [.. _names, next.Name];
        if (IsListed)
        {
            _catalog.Change(manifest => manifest.Journals.Contains(next.Name)
                ? manifest
                : manifest with { Journals = [.. manifest.Journals, next.Name] });
        }

        EndFile();
        lock (_gate)
            _file = next;
        (_fileId, _offset) = (id, FileHeader.Size);
        Debug.Assert(_offset + length <= _options.FileBytes);
    }

    private (StorageFile File, ulong Id) TakeFile() =>
        (_files.Take(FileHeader.BufferedAlignment, firstLsn: 0, out ulong id, _options.Sync == SyncPolicy.Always), id);

    private void Flush()
    {
        if (_batch.Count == 0)
            return;
        _file!.Write(_offset, _batch);
        _offset += _batchBytes;
        Volatile.Write(ref _writtenBytes, _writtenBytes + _batchBytes);
        _batch.Clear();
        _batchBytes = 0;
    }
}
