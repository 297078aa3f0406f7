using Cache.Durability.Catalog;

namespace Cache.Durability.Journaling;

/// <remarks>
/// Cutting: a file ends, a snapshot is written of what the store holds from then on, and takes the place of all files
/// before. It may hold changes that were made while it was written; those are in the journal behind the cut. So all of
/// the journal up to the end of the snapshot is durable before the snapshot counts: else a loss of power could leave a
/// later change without an earlier one, or a part of a group.
/// </remarks>
internal sealed partial class Journal
{
    private bool _skipsSyncs;
    private long _snapshotBytes;
    private long _suspensionCount;

    // What counts of the journal: what the start has read, or what was written since the cut.
    private long _bytesBefore;

    // The last block in files that count, while others are written.
    private ulong _listedEnd;

    /// <summary>Whether each second's sync is left out for now; a cut's is not.</summary>
    public bool SkipsSyncs
    {
        get => Volatile.Read(ref _skipsSyncs) && _options.Sync == SyncPolicy.EverySecond;
        set => Volatile.Write(ref _skipsSyncs, value);
    }

    /// <summary>Whether changes are recorded into files that count; else into files that will, after a cut.</summary>
    public bool IsListed => _writer.IsListed;

    /// <summary>The bytes of the journal that a start would read; a moment old.</summary>
    public long Bytes => Math.Max(0, Volatile.Read(ref _bytesBefore) + _writer.WrittenBytes);

    /// <summary>The bytes of the snapshot that a start would read.</summary>
    public long SnapshotBytes
    {
        get => Volatile.Read(ref _snapshotBytes);
        set => Volatile.Write(ref _snapshotBytes, value);
    }

    /// <summary>Notes what a start has read of journals.</summary>
    public void NoteRead(long bytes) => Volatile.Write(ref _bytesBefore, bytes);

    /// <summary>Begins a new file for what is staged from now on.</summary>
    /// <exception cref="IOException">The journal cannot be written.</exception>
    public JournalCut BeginCut()
    {
        lock (_writeTurn)
        {
            WriteCore();
            ThrowIfNotWriting();
            _writer.BeginFile();
            return new JournalCut(
                _writer, _writer.Names.Count, _writer.WrittenBytes, _writer.LastSequence + 1, Staging.NextLsn);
        }
    }

    /// <summary>Puts a snapshot, begun behind the cut and durable now, in the place of what is before.</summary>
    /// <exception cref="IOException">It does not count, and all is as before.</exception>
    public void Cut(JournalCut cut, string snapshot)
    {
        WriteAll();
        lock (_writeTurn) // No file is begun meanwhile.
        {
            IReadOnlyList<string> old;
            lock (_gate)
            {
                ThrowIfNotWriting();
                if (cut.Writer != _writer)
                    throw new IOException("The files of the journal were replaced while a snapshot was written.");
                old = Replace(snapshot, cut.NextSequence, cut.NextLsn, cut.FileCount);
            }

            _writer.IsListed = true;
            Volatile.Write(ref _bytesBefore, -cut.WrittenBytes);
            lock (_syncTurn) // A sync may open files by their names.
                Retire([.. _writer.Forget(cut.FileCount).Union(old)]);
        }
    }

    /// <summary>From now on a start finds nothing, until a snapshot is written.</summary>
    /// <exception cref="IOException">The manifest cannot be written.</exception>
    public void Empty()
    {
        lock (_writeTurn)
        {
            IReadOnlyList<string> old;
            lock (_gate)
                old = Replace(null, _writer.LastSequence + 1, Staging.NextLsn);
            Volatile.Write(ref _bytesBefore, -_writer.WrittenBytes);
            SnapshotBytes = 0;
            Retire(old);
        }
    }

    /// <summary>What is recorded from now on is in files that do not count before the next cut.</summary>
    /// <remarks>What was recorded is durable.</remarks>
    public void Unlist()
    {
        lock (_writeTurn)
        {
            WriteCore();
            _writer.EndFile();
            lock (_syncTurn)
            {
                var ended = _writer.Forget(_writer.Names.Count);
                if (_writer.IsListed)
                    _listedEnd = _writer.LastSequence;
                else
                    _files.Discard(ended); // None of them ever counted.
                _writer.IsListed = false;
            }
        }
    }

    /// <summary>When what is written is made durable from now on.</summary>
    public void ChangeSync(SyncPolicy policy)
    {
        lock (_writeTurn)
        {
            SyncNow(); // As it was begun; no file ends before the policy is another.
            lock (_syncTurn)
                _options.Sync = policy;
        }

        Staging.Hold(false); // The next write holds them again where that is due.
    }

    /// <summary>Makes durable what was staged until now, although writers may be held.</summary>
    public void WriteAll()
    {
        SyncNow(); // Else the last chunk would not end, where writers wait for a sync.
        Write();
        SyncNow();
    }

    private void Retire(IReadOnlyList<string> names)
    {
        try
        {
            _files.Retire(
                [.. names.Where(static name => FileNames.JournalNumberOf(name) != 0)], JournalStart.SparesMax);
        }
        catch (IOException)
        {
            // What stays is free at the next start.
        }

        _files.Discard([.. names.Where(static name => FileNames.SnapshotNumberOf(name) != 0)]);
    }

    private void ThrowIfNotWriting()
    {
        if (State != JournalState.Writing)
            throw new IOException($"The journal is {State}: {Failure?.Message}", Failure);
    }
}
