using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>All blocks of a store's journals, in their order, up to where they are certain.</summary>
/// <remarks>
/// Algorithm: blocks are read while magic, file id, checksums and sequence are right. At the first one that is not, a
/// later file may go on with the same sequence: then the rest of this one was never used. Else everything behind is
/// searched for blocks, and the greatest number that one of them knows to be durable decides. If the bad block was
/// durable, the disk has damaged it, and nothing is read unasked; else it was being written when the machine stopped:
/// the journal ends before it. So a loss of power never refuses a file, and damage is never taken for one.
/// </remarks>
internal sealed class JournalReader(StorageDirectory directory, Manifest manifest, bool skipsDamage) : IDisposable
{
    private readonly List<Gap> _gaps = [];
    private BlockReader? _reader;
    private int _index;
    private bool _isOpen;
    private long _lastWallMs;

    /// <summary>The sequence of the block that is expected next.</summary>
    public ulong NextSequence { get; private set; } = manifest.FromSequence;

    /// <summary>The file and the place of the block that was read last.</summary>
    public (string File, long Offset) Place { get; private set; } = ("", 0);

    /// <summary>Where the journal ends if its end is not whole.</summary>
    public TornTail? Tail { get; private set; }

    /// <summary>What was skipped.</summary>
    public IReadOnlyList<Gap> Gaps => _gaps;

    /// <summary>The next block; false behind the last one.</summary>
    /// <exception cref="RecoveryRefusedException">Blocks are damaged, and not to be skipped.</exception>
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
        if (header.Codec != 0)
            throw new RecoveryRefusedException(_reader!.Name, position, $"has a block of codec {header.Codec}");
    }

    // What was closed with everything in it has everything in it.
    private void CheckEnd()
    {
        if (manifest.State != ManifestState.Clean || NextSequence > manifest.EndSequence || skipsDamage)
            return;
        string file = manifest.Journals.Count == 0 ? FileNames.Manifest : manifest.Journals[^1];
        throw new RecoveryRefusedException(file, -1, Missing(manifest.EndSequence));
    }

    // The block at this position of the present file is not the next one.
    private bool TryGoOn(long position)
    {
        if (TryGoOnInLaterFile())
            return true;
        var rest = Search(position);
        bool isKnownToBeThere = rest.Durable >= NextSequence
            || (manifest.State == ManifestState.Clean && manifest.EndSequence >= NextSequence);
        string file = _reader!.Name;
        if (!isKnownToBeThere)
        {
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
            using var later = Open(i);
            if (!later.TryRead(out var first, out _) || first.Sequence != NextSequence)
                continue;
            GoTo(i);
            return true;
        }

        return false;
    }

    // What the blocks behind a position know.
    private Rest Search(long position)
    {
        var rest = default(Rest);
        for (int i = _index; i < manifest.Journals.Count; i++)
        {
            using var reader = Open(i);
            long from = i == _index ? position : FileHeader.Size;
            while ((from = reader.Find(from, out var header)) >= 0)
            {
                rest.Durable = Math.Max(rest.Durable, header.Durable);
                rest.LastWallMs = Math.Max(rest.LastWallMs, header.WallMs);
                rest.Bytes += header.LengthIn(reader.Header.Alignment);
                reader.MoveTo(from);
                bool isWhole = reader.TryRead(out _, out _);
                if (isWhole && header.Sequence > NextSequence && (rest.Next == 0 || header.Sequence < rest.Next))
                    (rest.Next, rest.NextIndex, rest.NextPosition) = (header.Sequence, i, from);
                from = isWhole ? reader.Position : from + FileHeader.BufferedAlignment;
            }
        }

        return rest;
    }

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
