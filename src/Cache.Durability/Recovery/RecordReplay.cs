using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Replays the records of blocks in order: groups atomically, long values assembled.</summary>
/// <remarks>
/// The parts of long values are in blocks of their own, before the block with their records. Parts without a record at
/// the end of the journal were not acknowledged, and are dropped. Memory is allocated for bytes that were read, never
/// for a declared length.
/// </remarks>
internal sealed class RecordReplay(IRecordTarget target)
{
    // As many as a processor can have under way, and their lines stay in its cache.
    private const int PreparedCount = 16;

    private readonly PartedValues _values = new();

    // Whether parts of the next records may be in skipped blocks.
    private bool _lacksParts;

    /// <summary>The number of records that the target received.</summary>
    public long Count { get; private set; }

    /// <summary>Where the last record began in its block.</summary>
    public int Position { get; private set; }

    /// <summary>Whether the next block may depend on the blocks before it.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>Called when blocks before the next one were damaged and are skipped.</summary>
    public void NoteGap()
    {
        _values.Clear();
        (_lacksParts, IsOpen) = (true, true);
    }

    /// <summary>Replays a block's records.</summary>
    /// <param name="file">Its file, for errors.</param>
    /// <param name="offset">The offset of the block in it.</param>
    /// <param name="firstLsn">The place of the first record.</param>
    /// <param name="payload">The records.</param>
    /// <exception cref="RecoveryRefusedException">
    /// A record is inconsistent, or the target refuses it.
    /// </exception>
    public void Apply(string file, long offset, ulong firstLsn, ReadOnlySpan<byte> payload)
    {
        var reader = new RecordReader(payload);
        string problem = "";
        ulong lsn = firstLsn;
        bool hasParts = false;
        var ahead = reader;
        for (int prepared = 0; problem.Length == 0; prepared--)
        {
            if (prepared == 0)
                prepared = Prepare(ref ahead);
            Position = reader.Position;
            if (!reader.TryRead(out var record))
                break;
            hasParts |= record.Fields.Kind == RecordKind.Part;
            problem = Apply(record, lsn);
            lsn = firstLsn + (uint)reader.Position;
        }

        problem = problem.Length == 0 ? reader.Problem : problem;
        if (problem.Length != 0)
            throw new RecoveryRefusedException(file, offset, $"has a record that {problem}");
        IsOpen = hasParts;
        if (hasParts)
            return;
        _values.Clear(); // Values that were not taken belong to a block that was never written.
        _lacksParts = false;
    }

    // At least 1, also at the end.
    private int Prepare(ref RecordReader ahead)
    {
        int count = 0;
        for (; count < PreparedCount && ahead.TryRead(out var record); count++)
        {
            if (record.Fields.Kind is not (RecordKind.Group or RecordKind.Part))
                target.Prepare(record);
        }

        return Math.Max(1, count);
    }

    private string Apply(in RecordView record, ulong lsn) => record.Fields.Kind switch
    {
        RecordKind.Void => "",
        RecordKind.Part => AddPart(record),
        RecordKind.Group => ApplyGroup(record, lsn),
        _ => ApplyOne(record, lsn),
    };

    private string AddPart(in RecordView record) =>
        _lacksParts ? "" : _values.Add(record.Fields.Owner, record.Fields.Offset, record.Value);

    // The records of a long group came as the first value with its place.
    private string ApplyGroup(in RecordView group, ulong lsn)
    {
        var records = group.Value;
        if (IsParted(group) && !_values.TryTake(lsn, group.ValueLength, out records))
            return _lacksParts ? "" : "lacks parts of its group";
        string problem = CheckGroup(records, lsn);
        var reader = new RecordReader(records);
        while (problem.Length == 0 && reader.TryRead(out var record))
            problem = ApplyOne(record, lsn);
        return problem;
    }

    // All are checked before the first is applied.
    private string CheckGroup(ReadOnlySpan<byte> records, ulong lsn)
    {
        var reader = new RecordReader(records);
        int parted = 0;
        while (reader.TryRead(out var record))
        {
            if (record.Fields.Kind is RecordKind.Group or RecordKind.Part)
                return $"is of kind {(int)record.Fields.Kind} within a group";
            if (IsParted(record) && !_lacksParts && !_values.Has(lsn, parted++, record.ValueLength))
                return "lacks parts of its value";
        }

        return reader.Problem;
    }

    private string ApplyOne(in RecordView record, ulong place)
    {
        if (record.Fields.Kind == RecordKind.Void)
            return "";
        Count++;
        var value = record.Value;
        if (!IsParted(record) || _values.TryTake(place, record.ValueLength, out value))
            return target.Apply(record, value);
        return _lacksParts ? target.Apply(RemovalOf(record), default) : "lacks parts of its value";
    }

    private static bool IsParted(in RecordView record) => (record.Fields.Flags & RecordFlags.Parted) != 0;

    // The value before it must not come back.
    private static RecordView RemovalOf(in RecordView record) => new()
    {
        Fields = new RecordFields { Kind = RecordKind.Remove, Keyspace = record.Fields.Keyspace },
        Key = record.Key,
    };
}
