using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;

namespace Cache.Tool;

/// <summary>Reads all that a start would read, by its rules, to the end of everything that can be read.</summary>
internal sealed class DirectoryCheck
{
    private readonly StorageDirectory _directory;
    private readonly Manifest _manifest;
    private readonly List<Damage> _damages = [];
    private readonly Dictionary<string, (long Blocks, long Records)> _files = [];
    private readonly RecordReplay _replay;
    private readonly StagedRecords _staged = new();

    private DirectoryCheck(StorageDirectory directory, Manifest manifest)
    {
        (_directory, _manifest) = (directory, manifest);
        _replay = new RecordReplay(Counts);
    }

    /// <summary>The places at which a start would refuse the files.</summary>
    public IReadOnlyList<Damage> Damages => _damages;

    /// <summary>The end of the journal, if that was being written when the machine stopped.</summary>
    public TornTail? Tail { get; private set; }

    public RecordCounts Counts { get; } = new();

    public long Blocks { get; private set; }

    public long Records => _replay.Count;

    /// <summary>Those of them that the last process had not written when it was killed.</summary>
    public long Staged { get; private set; }

    /// <summary>When the last block was written, in ms of the wall clock; 0 without one.</summary>
    public long LastWallMs { get; private set; }

    /// <exception cref="IOException">A file cannot be read.</exception>
    public static DirectoryCheck Of(StorageDirectory directory, Manifest manifest)
    {
        var check = new DirectoryCheck(directory, manifest);
        if (manifest.Base is { } snapshot)
            check.ReadSnapshot(snapshot);
        check.ReadJournals([.. manifest.Journals.Where(check.CanBeOpened)]);
        if (check.Damages.Count == 0)
            check.ReadStaged();
        return check;
    }

    /// <summary>How much of a file was read.</summary>
    public (long Blocks, long Records) Of(string file) => _files.GetValueOrDefault(file);

    private void ReadSnapshot(string name)
    {
        if (!CanBeOpened(name))
            return;
        using var reader = new SnapshotReader(_directory, name, _manifest.StoreId, skipsDamage: true);
        int gaps = 0;
        Read(() =>
        {
            while (reader.TryRead(out var header, out var payload))
            {
                NoteGaps(reader.Gaps.Count, ref gaps);
                Take(name, reader.Offset, header, payload);
            }
        });
        _damages.AddRange(reader.Gaps.Select(Damage.Of));
    }

    private void ReadJournals(IReadOnlyList<string> names)
    {
        using var reader = new JournalReader(_directory, _manifest with { Journals = names }, skipsDamage: true);
        int gaps = 0;
        Read(() =>
        {
            while (reader.TryRead(out var header, out var payload))
            {
                NoteGaps(reader.Gaps.Count, ref gaps);
                Take(reader.Place.File, reader.Place.Offset, header, payload);
                _staged.NoteBlock(header, payload);
            }
        });
        _damages.AddRange(reader.Gaps.Select(Damage.Of));
        Tail = reader.Tail;
        if (_manifest.State == ManifestState.Clean && reader.NextSequence <= _manifest.EndSequence)
            NoteMissingEnd(reader.NextSequence);
    }

    private void ReadStaged()
    {
        long before = _replay.Count;
        string ring = StagedRecords.RingOf(_directory, _manifest);
        Read(() =>
        {
            foreach (var (sequence, block) in _staged.Read(ring, _manifest))
            {
                ulong lsn = StagedRecords.HeaderOf(sequence, block).FirstLsn;
                _replay.Apply(ring, BlockHeader.Size, lsn, block.AsSpan(BlockHeader.Size));
            }
        });
        Staged = _replay.Count - before;
    }

    // A header that is wrong is of the whole file: the others are read.
    private bool CanBeOpened(string name)
    {
        try
        {
            using var reader = BlockReader.Open(_directory, name, _manifest.StoreId, skipsDamage: true);
            return true;
        }
        catch (RecoveryRefusedException failure)
        {
            _damages.Add(Damage.Of(failure));
            return false;
        }
    }

    private void Read(Action read)
    {
        try
        {
            read();
        }
        catch (RecoveryRefusedException failure)
        {
            _damages.Add(Damage.Of(failure));
        }
    }

    private void Take(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        long before = _replay.Count;
        try
        {
            _replay.Apply(file, offset, header.FirstLsn, payload);
        }
        catch (RecoveryRefusedException failure)
        {
            _damages.Add(Damage.Of(failure));
            _replay.NoteGap(); // So that later records do not miss what was in this block.
        }

        Blocks++;
        LastWallMs = Math.Max(LastWallMs, header.WallMs);
        var (blocks, records) = Of(file);
        _files[file] = (blocks + 1, records + _replay.Count - before);
    }

    private void NoteGaps(int count, ref int known)
    {
        if (count != known)
            _replay.NoteGap();
        known = count;
    }

    // Only if no gap tells of it: the journals may all be missing.
    private void NoteMissingEnd(ulong next)
    {
        if (_damages.Count == 0)
        {
            _damages.Add(new Damage(
                FileNames.Manifest, -1, $"names the last block {_manifest.EndSequence}, and {next} is not there",
                IsSkippable: true));
        }
    }
}
