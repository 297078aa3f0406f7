using System.Globalization;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Reads all blocks of one file that are whole, and prints what was asked for.</summary>
internal sealed class FileInspection
{
    // More damages are of one cause; their number is printed.
    private const int DamagesMax = 100;

    private readonly Report _output;
    private readonly byte[]? _key;
    private readonly bool _showsBlocks;
    private readonly RecordCounts _counts;
    private readonly RecordReplay _replay;

    // The least and the greatest key.
    private byte[]? _first;
    private byte[]? _last;

    private long _linesLeft;
    private long _linesMissing;
    private long _blocks;
    private BlockHeader _firstBlock;
    private BlockHeader _block;
    private long _offset;
    private long _damages;

    /// <param name="output">Receives the lines.</param>
    /// <param name="key">Whose records are shown; null for none.</param>
    /// <param name="showsBlocks">Whether each block is shown.</param>
    /// <param name="linesMax">The most lines for blocks and records.</param>
    public FileInspection(Report output, byte[]? key, bool showsBlocks, int linesMax)
    {
        (_output, _key, _showsBlocks, _linesLeft) = (output, key, showsBlocks, linesMax);
        _counts = new RecordCounts { Sink = Note };
        _replay = new RecordReplay(_counts);
    }

    /// <returns>Whether the file is whole, as far as one file can tell.</returns>
    /// <exception cref="RecoveryRefusedException">It is no file of a store.</exception>
    public bool Run(string path)
    {
        var directory = new SystemDirectory(Path.GetDirectoryName(path)!);
        string name = Path.GetFileName(path);
        using var reader = BlockReader.Open(directory, name, ReadStoreId(directory, name), skipsDamage: true);
        PrintHeader(path, reader);
        ReadBlocks(reader);
        PrintCounts(reader);
        if (_damages > DamagesMax)
            _output.Line($"damage: {_damages - DamagesMax:n0} more places.");
        return _damages == 0;
    }

    private static ulong ReadStoreId(SystemDirectory directory, string name)
    {
        using var file = directory.Open(name, writable: false);
        byte[] bytes = new byte[FileHeader.Size];
        int length = file.Read(0, bytes);
        return FileHeader.TryRead(bytes.AsSpan(0, length), out var header, out string problem)
            ? header.StoreId
            : throw new RecoveryRefusedException(name, -1, problem);
    }

    private void PrintHeader(string path, BlockReader reader)
    {
        var header = reader.Header;
        _output.Line(path);
        _output.Line($"  version {header.Major}.{header.Minor}, blocks aligned to {header.Alignment} bytes");
        _output.Line($"  file {header.FileId:x16}, store {header.StoreId:x16}");
        _output.Line($"  made {Moments.Text(header.WallMs)}, {Grouped(reader.Length)} bytes");
    }

    private void ReadBlocks(BlockReader reader)
    {
        long lostAt = -1;
        while (true)
        {
            _offset = reader.Position;
            if (reader.TryRead(out var header, out var payload))
            {
                if (lostAt >= 0)
                    NoteDamage($"no whole block is at byte {lostAt}; block {header.Sequence} follows at {_offset}");
                else if (_blocks != 0 && header.Sequence != _block.Sequence + 1)
                    NoteDamage($"block {header.Sequence} at byte {_offset} follows block {_block.Sequence}");
                lostAt = -1;
                Take(reader.Name, header, payload);
                continue;
            }

            long next = reader.Find(_offset + FileHeader.BufferedAlignment, out _);
            if (next < 0)
                break;
            lostAt = lostAt < 0 ? _offset : lostAt;
            _replay.NoteGap();
            reader.MoveTo(next);
        }

        if (lostAt >= 0)
            NoteDamage($"no whole block is at byte {lostAt}, nor behind it");
    }

    private void Take(string file, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        if (_blocks == 0)
            _firstBlock = header;
        _blocks++;
        _block = header;
        long before = _replay.Count;
        try
        {
            if (header.Codec > BlockHeader.Lz4Codec)
                throw new RecoveryRefusedException(file, _offset, $"has a block of codec {header.Codec}");
            _replay.Apply(file, _offset, header.FirstLsn, payload);
        }
        catch (RecoveryRefusedException failure)
        {
            NoteDamage(failure.Message);
            _replay.NoteGap();
        }

        if (!_showsBlocks)
            return;
        PrintLine(
            $"block {header.Sequence} at byte {_offset}: {KindOf(header.Kind)}, {SizeOf(header)}, "
            + $"{_replay.Count - before} records, {Moments.Text(header.WallMs)}, LSN {header.FirstLsn}, "
            + $"durable {header.Durable}");
    }

    private void Note(in RecordView record, ReadOnlySpan<byte> value)
    {
        var key = record.Key;
        bool hasKey = record.Fields.Kind is not (RecordKind.Clear or RecordKind.Databases);
        if (hasKey && (_first == null || key.SequenceCompareTo(_first) < 0))
            _first = key.ToArray();
        if (hasKey && (_last == null || key.SequenceCompareTo(_last) > 0))
            _last = key.ToArray();
        if (_key == null || (hasKey ? !key.SequenceEqual(_key) : record.Fields.Kind != RecordKind.Clear))
            return;
        PrintLine(
            $"block {_block.Sequence} at byte {_offset}, {Moments.Text(_block.WallMs)}: {TextOf(record, value)}");
    }

    private static string TextOf(in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        var culture = CultureInfo.InvariantCulture;
        string text = string.Create(culture, $"{RecordCounts.NameOf(fields.Kind)} in keyspace {fields.Keyspace}");
        if (fields.Kind == RecordKind.Patch)
            text += string.Create(culture, $", at {fields.Offset}");
        if (fields.Kind is RecordKind.Set or RecordKind.Patch)
            text += string.Create(culture, $", {value.Length} bytes: {KeyText.Of(value)}");
        if (fields.SlidingMs != 0)
            text += string.Create(culture, $", expires {fields.SlidingMs} ms after its last use");
        long deadline = fields.SlidingMs != 0 ? fields.AbsoluteMs : fields.DeadlineMs;
        if (deadline != 0)
            text += $", expires at {Moments.Text(deadline)}";
        else if (fields.Kind == RecordKind.Expire)
            text += ", expires no more";
        return text;
    }

    private void PrintCounts(BlockReader reader)
    {
        if (_linesMissing != 0)
            _output.Line($"{Grouped(_linesMissing)} more lines; --limit shows more.");
        bool isEnded = _blocks != 0 && _block.Kind is BlockKind.End;
        bool isSnapshot = FileNames.SnapshotNumberOf(reader.Name) != 0
            || (_blocks != 0 && _firstBlock.Kind is BlockKind.Snapshot or BlockKind.End);
        if (isSnapshot && !isEnded)
            NoteDamage("the last block of the snapshot is missing");
        _output.Line($"  {Grouped(_blocks)} blocks, {_counts}");
        if (_blocks != 0)
        {
            _output.Line(
                $"  blocks {_firstBlock.Sequence} to {_block.Sequence}, LSN {_firstBlock.FirstLsn} to "
                + $"{_block.FirstLsn}, {Moments.Text(_firstBlock.WallMs)} to {Moments.Text(_block.WallMs)}");
        }

        if (_first != null)
            _output.Line($"  keys {KeyText.Of(_first)} to {KeyText.Of(_last)}");
        long rest = reader.Length - reader.Position;
        if (rest > 0)
            _output.Line($"  {Grouped(rest)} bytes behind the last block: unused, or of a file before");
    }

    private void NoteDamage(string problem)
    {
        if (_damages++ < DamagesMax)
            _output.Line($"damage: {problem.TrimEnd('.')}.");
    }

    private void PrintLine(string line)
    {
        if (_linesLeft > 0)
            _output.Line(line);
        else
            _linesMissing++;
        _linesLeft--;
    }

    private static string SizeOf(in BlockHeader header) => header.Codec == BlockHeader.PlainCodec
        ? $"{header.StoredBytes} bytes"
        : $"{header.StoredBytes} bytes for {header.RawBytes}";

    private static string KindOf(BlockKind kind) => kind switch
    {
        BlockKind.Journal => "journal",
        BlockKind.Snapshot => "snapshot",
        BlockKind.End => "end",
        _ => string.Create(CultureInfo.InvariantCulture, $"kind {(int)kind}"),
    };

    private static string Grouped(long number) => number.ToString("n0", CultureInfo.InvariantCulture);
}
