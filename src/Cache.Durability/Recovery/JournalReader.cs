using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Reads all blocks of a store's journals, in order, up to the end of the certain ones.</summary>
/// <remarks>
/// Algorithm: blocks are read while magic, file id, checksums and sequence are right. At the first wrong one, a later
/// file may continue with the same sequence: then the rest of this file was never used. Otherwise all bytes behind are
/// searched for blocks, and the greatest sequence that one of them reports as durable decides. If the wrong block was
/// durable, the disk has damaged it, and reading stops unless damage may be skipped; else it was being written when the
/// machine stopped, and the journal ends before it. So a loss of power never makes a start refuse files, and damage is
/// never mistaken for a loss of power.
/// </remarks>
internal sealed class JournalReader(StorageDirectory directory, Manifest manifest, bool skipsDamage) : IDisposable
{
    private readonly List<Gap> _gaps = [];
    private readonly Dictionary<string, long> _ends = [];
    private readonly ulong?[] _firsts = new ulong?[manifest.Journals.Count];
    private BlockReader? _reader;
    private int _index;
    private bool _isOpen;
    private long _lastWallMs;

    // The greatest durable sequence that a search has found.
    private ulong _durable;

    /// <summary>The sequence of the next expected block.</summary>
    public ulong NextSequence { get; private set; } = manifest.FromSequence;

    /// <summary>The file and the position of the last read block.</summary>
    public (string File, long Offset) Place { get; private set; } = ("", 0);

    /// <summary>The end of the journal, if that is incomplete.</summary>
    public TornTail? Tail { get; private set; }

    /// <summary>The files whose end is known, each with the position behind its last block.</summary>
    public IReadOnlyDictionary<string, long> Ends => _ends;

    /// <summary>The skipped blocks.</summary>
    public IReadOnlyList<Gap> Gaps => _gaps;

    /// <summary>Reads the next block; false after the last one.</summary>
    /// <exception cref="RecoveryRefusedException">Blocks are damaged, and must not be skipped.</exception>
    public bool TryRead(out BlockHeader header, out ReadOnlySpan<byte> payload)
    {
        if (!_isOpen)
        {
            _isOpen = true;
            GoTo(0);
        }

        while (_reader != null)
        {
            long position = _reader.Position;
            if (_reader.TryRead(out header, out payload) && header.Sequence == NextSequence)
            {
                CheckKind(header, position);
                NextSequence++;
                _lastWallMs = header.WallMs;
                Place = (_reader.Name, position);
                return true;
            }

            if (!TryGoOn(position))
                break;
        }

        CheckEnd();
        header = default;
        payload = default;
        return false;
    }

    public void Dispose() => _reader?.Dispose();

    private void CheckKind(in BlockHeader header, long position)
    {
        if (header.Kind != BlockKind.Journal)
            throw new RecoveryRefusedException(_reader!.Name, position, $"has a block of kind {(int)header.Kind}");
        if (header.Codec > BlockHeader.Lz4Codec)
            throw new RecoveryRefusedException(_reader!.Name, position, $"has a block of codec {header.Codec}");
    }

    // A journal that was closed cleanly must be complete.
    private void CheckEnd()
    {
        if (manifest.State != ManifestState.Clean || NextSequence > manifest.EndSequence || skipsDamage)
            return;
        string file = manifest.Journals.Count == 0 ? FileNames.Manifest : manifest.Journals[^1];
        throw new RecoveryRefusedException(file, -1, Missing(manifest.EndSequence));
    }

    // Called when the block at this position of the present file is not the next one.
    private bool TryGoOn(long position)
    {
        string file = _reader!.Name;
        if (TryGoOnInLaterFile())
        {
            _ends[file] = position;
            return true;
        }

        var rest = Search(position);
        if (!IsKnown(rest))
        {
            _ends[file] = position;
            if (rest.Bytes > 0)
                Tail = new TornTail(file, position, NextSequence, rest.Bytes, rest.LastWallMs - _lastWallMs);
            return false;
        }

        ulong last = rest.Next != 0 ? rest.Next - 1 : Math.Max(rest.Durable, manifest.EndSequence);
        if (!skipsDamage)
            throw new RecoveryRefusedException(file, position, Missing(last));
        _gaps.Add(new Gap(file, position, NextSequence, last));
        NextSequence = last + 1;
        if (rest.Next == 0)
            return false;
        if (rest.NextIndex != _index)
            GoTo(rest.NextIndex);
        _reader!.MoveTo(rest.NextPosition);
        return true;
    }

    private string Missing(ulong last) => last == NextSequence
        ? $"lacks block {last}, which was on the disk"
        : $"lacks blocks {NextSequence} to {last}, which were on the disk";

    private bool TryGoOnInLaterFile()
    {
        for (int i = _index + 1; i < manifest.Journals.Count; i++)
        {
            if (FirstOf(i) != NextSequence)
                continue;
            GoTo(i);
            return true;
        }

        return false;
    }

    // The sequence of a file's first block; 0 if it has none.
    private ulong FirstOf(int index)
    {
        if (_firsts[index] is { } known)
            return known;
        using var reader = Open(index);
        ulong first = reader.TryRead(out var header, out _) ? header.Sequence : 0;
        _firsts[index] = first;
        return first;
    }

    // The durable sequence that the blocks behind a position report. All are searched once; for further damage the next
    // complete block is enough: no later block reports less.
    private Rest Search(long position)
    {
        var rest = new Rest { Durable = _durable };
        bool isKnown = IsKnown(rest);
        Search(_reader!, _index, position, isKnown, ref rest);
        _reader!.MoveTo(position);
        for (int i = _index + 1; i < manifest.Journals.Count && !(isKnown && rest.Next != 0); i++)
        {
            using var reader = Open(i);
            Search(reader, i, FileHeader.Size, isKnown, ref rest);
        }

        _durable = rest.Durable;
        return rest;
    }

    private void Search(BlockReader reader, int index, long from, bool isKnown, ref Rest rest)
    {
        while (!(isKnown && rest.Next != 0) && (from = reader.Find(from, out var header)) >= 0)
        {
            rest.Durable = Math.Max(rest.Durable, header.Durable);
            rest.LastWallMs = Math.Max(rest.LastWallMs, header.WallMs);
            rest.Bytes += header.LengthIn(reader.Header.Alignment);
            reader.MoveTo(from);
            bool isWhole = reader.TryRead(out _, out _);
            if (isWhole && header.Sequence > NextSequence && (rest.Next == 0 || header.Sequence < rest.Next))
                (rest.Next, rest.NextIndex, rest.NextPosition) = (header.Sequence, index, from);
            from = isWhole ? reader.Position : from + FileHeader.BufferedAlignment;
        }
    }

    // Whether the expected block was on the disk.
    private bool IsKnown(in Rest rest) => rest.Durable >= NextSequence
        || (manifest.State == ManifestState.Clean && manifest.EndSequence >= NextSequence);

    private void GoTo(int index)
    {
        _reader?.Dispose();
        _reader = null;
        _index = index;
        if (index < manifest.Journals.Count)
            _reader = Open(index);
    }

    private BlockReader Open(int index) =>
        BlockReader.Open(directory, manifest.Journals[index], manifest.StoreId, skipsDamage);

    private record struct Rest(
        ulong Durable, long LastWallMs, long Bytes, ulong Next, int NextIndex, long NextPosition);
}
