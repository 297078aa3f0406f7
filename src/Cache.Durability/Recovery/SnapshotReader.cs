using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Reads all blocks of a snapshot: a file that was complete and durable before it got its name.</summary>
/// <param name="directory">The directory of the file.</param>
/// <param name="name">Its name.</param>
/// <param name="storeId">The store to which it must belong.</param>
/// <param name="skipsDamage">Whether to read the rest of a damaged file.</param>
internal sealed class SnapshotReader(StorageDirectory directory, string name, ulong storeId, bool skipsDamage)
    : IDisposable
{
    private readonly BlockReader _reader = BlockReader.Open(directory, name, storeId, skipsDamage);
    private readonly List<Gap> _gaps = [];
    private ulong _next = 1;

    // Where the block should be that was not found; −1 if all were found so far, since the last gap.
    private long _lostAt = -1;
    private bool _isOver;

    /// <summary>The skipped blocks.</summary>
    public IReadOnlyList<Gap> Gaps => _gaps;

    /// <summary>The position of the last read block.</summary>
    public long Offset { get; private set; }

    /// <summary>Reads the next block, the final one included; false after that.</summary>
    /// <exception cref="RecoveryRefusedException">A block is damaged, and must not be skipped.</exception>
    public bool TryRead(out BlockHeader header, out ReadOnlySpan<byte> payload)
    {
        header = default;
        payload = default;
        while (!_isOver)
        {
            Offset = _reader.Position;
            if (_reader.TryRead(out header, out payload) && header.Sequence >= _next)
            {
                if (header.Sequence != _next)
                    Skip(header.Sequence - 1);
                _lostAt = -1;
                Check(header);
                _next = header.Sequence + 1;
                _isOver = header.Kind == BlockKind.End;
                return true;
            }

            GoOn();
        }

        return false;
    }

    public void Dispose() => _reader.Dispose();

    // To the next block of the file.
    private void GoOn()
    {
        if (_lostAt < 0)
            _lostAt = Offset;
        long next = skipsDamage ? _reader.Find(Offset + FileHeader.BufferedAlignment, out _) : -1;
        if (next >= 0)
        {
            _reader.MoveTo(next);
            return;
        }

        Skip(_next);
        _isOver = true;
    }

    private void Skip(ulong last)
    {
        if (!skipsDamage)
            throw new RecoveryRefusedException(name, Offset, $"lacks block {_next}, which was on the disk");
        _gaps.Add(new Gap(name, _lostAt < 0 ? Offset : _lostAt, _next, last));
    }

    private void Check(in BlockHeader header)
    {
        if (header.Kind is not (BlockKind.Snapshot or BlockKind.End))
            throw new RecoveryRefusedException(name, Offset, $"has a block of kind {(int)header.Kind}");
        if (header.Codec > BlockHeader.Lz4Codec)
            throw new RecoveryRefusedException(name, Offset, $"has a block of codec {header.Codec}");
    }
}
