using System.Diagnostics;
using Cache.Durability.Catalog;

namespace Cache.Durability.Journaling;

/// <remarks>
/// Cutting: a journal file ends (the cut), then a snapshot of the store is written, which replaces all files before the
/// cut. It may contain changes that were made while it was written; the journal after the cut has these too. So the
/// journal up to the end of the snapshot must be durable before the snapshot becomes valid: else a loss of power could
/// leave a later change without an earlier one, or a part of a group.
/// </remarks>
internal sealed partial class Journal
{
    private bool _skipsSyncs;
    private volatile bool _isPassing;

    // Whether writes may continue that are in no file, although they are refused after an error.
    private volatile bool _isEnding;

    // Under the gate, before the state says that it is suspended.
    private volatile bool _isDroppable;
    private long _snapshotBytes;
    private long _suspensionCount;

    // The valid bytes of the journal: those that the start has read, or those written since the cut.
    private long _bytesBefore;

    // The last block in valid files, while others are written.
    private ulong _listedEnd;

    /// <summary>Whether the sync of each second is omitted for now; the sync of a cut is not.</summary>
    public bool SkipsSyncs
    {
        get => Volatile.Read(ref _skipsSyncs) && _options.Sync == SyncPolicy.EverySecond;
        set => Volatile.Write(ref _skipsSyncs, value);
    }

    /// <summary>
    /// Whether changes are recorded only for a snapshot that is being written, or not at all: an error refuses no
    /// write, and the valid files stay valid. Set after the last change that counts, cleared before the first.
    /// </summary>
    public bool IsPassing
    {
        get => _isPassing;
        set => _isPassing = value;
    }

    /// <summary>Whether it is suspended, and everything that is lost was recorded only for a snapshot.</summary>
    public bool IsDroppable => _state == JournalState.Suspended && _isDroppable;

    /// <summary>Whether changes are recorded into valid files; else into files that become valid with a cut.</summary>
    public bool IsListed => _writer.IsListed;

    /// <summary>The bytes of the journal that a start would read; a moment old.</summary>
    public long Bytes => Math.Max(0, Volatile.Read(ref _bytesBefore) + _writer.WrittenBytes);

    /// <summary>The bytes of the snapshot that a start would read.</summary>
    public long SnapshotBytes
    {
        get => Volatile.Read(ref _snapshotBytes);
        set => Volatile.Write(ref _snapshotBytes, value);
    }

    /// <summary>Notes the bytes of journals that a start has read.</summary>
    public void NoteRead(long bytes) => Volatile.Write(ref _bytesBefore, bytes);

    /// <summary>Begins a new file for records that are staged from now on.</summary>
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

    /// <summary>Replaces the files before the cut by a snapshot that was begun after it and is durable now.</summary>
    /// <exception cref="IOException">It is not valid, and the files are as before.</exception>
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
            _ring?.SetCounting(true);
            Volatile.Write(ref _bytesBefore, -cut.WrittenBytes);
            lock (_syncTurn) // A sync may open files by their names.
                Retire([.. _writer.Forget(cut.FileCount).Union(old)]);
        }
    }

    /// <summary>Makes the next start find nothing, until a snapshot is written.</summary>
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

    /// <summary>Records from now on are in files that are not valid before the next cut.</summary>
    /// <remarks>Earlier records are durable.</remarks>
    public void Unlist()
    {
        lock (_writeTurn)
        {
            WriteCore();
            _ring?.SetCounting(false);
            _writer.EndFile();
            lock (_syncTurn)
            {
                var ended = _writer.Forget(_writer.Names.Count);
                if (_writer.IsListed)
                    _listedEnd = State == JournalState.Writing ? _writer.LastSequence : 0; // Else nobody knows.
                else
                    _files.Discard(ended); // None of them was ever valid.
                _writer.IsListed = false;
            }
        }
    }

    /// <summary>Called before writes continue that are recorded nowhere, also if they are refused now.</summary>
    /// <remarks>
    /// After it no manifest says that they were refused: this or a suspension sees the other one's change, and the
    /// catalog keeps the worse state. On a disk that cannot even rename, the files stay as they are.
    /// </remarks>
    public void BeginEnding()
    {
        bool isSuspended;
        lock (_gate)
        {
            _isEnding = true;
            isSuspended = _state is JournalState.Suspended or JournalState.Resuming && !_isDroppable;
        }

        if (isSuspended)
            _catalog.TrySuspend(ManifestState.Suspended);
    }

    /// <summary>Called after the last write that is recorded nowhere.</summary>
    public void EndEnding() => _isEnding = false;

    /// <summary>Continues after an error of what was recorded only for a snapshot, and drops that.</summary>
    /// <remarks>The caller has seen <see cref="IsDroppable"/>; no file is listed.</remarks>
    public void Drop()
    {
        lock (_writeTurn)
        {
            DropSealed();
            lock (_syncTurn)
            {
                ulong last = _writer.LastSequence;
                var names = _writer.Names;
                _writer.Dispose();
                _writer = new JournalWriter(_catalog, _files, last, _options);
                if (!_catalog.IsUncertain) // The manifest on the disk may name them; a start sees to the rest.
                    _files.Discard(names);
            }
        }

        lock (_gate)
        {
            Debug.Assert(_state == JournalState.Suspended);
            Debug.Assert(_isDroppable);
            (_state, Failure) = (JournalState.Writing, null);
            Waits.Heal(StartOfNext(Staging.NextLsn));
            Staging.TurnOn();
        }
    }

    /// <summary>Changes when written records are made durable.</summary>
    public void ChangeSync(SyncPolicy policy)
    {
        lock (_writeTurn)
        {
            WriteCore(); // What was acknowledged without a file is in one.
            SyncNow(); // Under the old policy; no file ends before the policy changes.
            _ring?.SetHolding(policy == SyncPolicy.Always);
            lock (_syncTurn)
                _options.Sync = policy;
        }

        Staging.Hold(false); // The next write holds writers again if needed.
    }

    /// <summary>Makes all staged records durable, even if writers are held.</summary>
    public void WriteAll()
    {
        SyncNow(); // Else the last chunk would not end while writers wait for a sync.
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
            // Files that cannot be deleted are free at the next start.
        }

        _files.Discard([.. names.Where(static name => FileNames.SnapshotNumberOf(name) != 0)]);
    }

    private void ThrowIfNotWriting()
    {
        if (State != JournalState.Writing)
            throw new IOException($"The journal is {State}: {Failure?.Message}", Failure);
    }
}
