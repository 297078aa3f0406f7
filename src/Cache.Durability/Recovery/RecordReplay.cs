using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>The records of blocks in their order: groups whole or not at all, long values put together.</summary>
/// <remarks>
/// What is not complete at the end of the journal was not acknowledged: parts without their record, and a group without
/// its last part, are dropped. Memory is taken for bytes that came, never for a length that is told.
/// </remarks>
internal sealed class RecordReplay(IRecordTarget target)
{
    private readonly ByteBuffer _value = new();
    private readonly ByteBuffer _group = new();
    private ulong _valueOwner;
    private ulong _groupNumber;

    /// <summary>The records that the target got.</summary>
    public long Count { get; private set; }

    /// <summary>Takes a block's records.</summary>
    /// <param name="file">Its file, for a refusal.</param>
    /// <param name="offset">Where in it the block begins.</param>
    /// <param name="firstLsn">The place of the first record.</param>
    /// <param name="payload">The records.</param>
    /// <exception cref="RecoveryRefusedException">A record contradicts itself.</exception>
    public void Apply(string file, long offset, ulong firstLsn, ReadOnlySpan<byte> payload)
    {
        var reader = new RecordReader(payload);
        string problem = "";
        ulong lsn = firstLsn;
        while (problem.Length == 0 && reader.TryRead(out var record))
        {
            problem = Apply(record, lsn);
            lsn = firstLsn + (uint)reader.Position;
        }

        problem = problem.Length == 0 ? reader.Problem : problem;
        if (problem.Length != 0)
            throw new RecoveryRefusedException(file, offset, $"has a record that {problem}");
    }

    private string Apply(in RecordView record, ulong lsn)
    {
        switch (record.Fields.Kind)
        {
            case RecordKind.Void:
                return "";
            case RecordKind.Part:
                return AddPart(record);
            case RecordKind.Group:
                return AddGroup(record);
            default:
                return ApplyOne(record, lsn);
        }
    }

    // The parts of a value follow one another; those of another record begin anew.
    private string AddPart(in RecordView record)
    {
        if (_valueOwner != record.Fields.Owner || record.Fields.Offset == 0)
            _value.Clear();
        _valueOwner = record.Fields.Owner;
        if (record.Fields.Offset != _value.Length)
            return "is not the next part of its value";
        return _value.TryAdd(record.Value) ? "" : "makes a value too long";
    }

    private string AddGroup(in RecordView record)
    {
        if (_groupNumber != record.Fields.Owner)
            _group.Clear();
        _groupNumber = record.Fields.Owner;
        if (!_group.TryAdd(record.Value))
            return "makes a group too long";
        if ((record.Fields.Flags & RecordFlags.Last) == 0)
            return "";
        string problem = CheckGroup(_group.Span);
        var reader = new RecordReader(_group.Span);
        while (problem.Length == 0 && reader.TryRead(out var one))
            problem = ApplyOne(one, lsn: 0);
        _group.Clear();
        return problem;
    }

    // All of them are looked at before the first is applied.
    private static string CheckGroup(ReadOnlySpan<byte> records)
    {
        var reader = new RecordReader(records);
        while (reader.TryRead(out var record))
        {
            if (record.Fields.Kind is RecordKind.Group or RecordKind.Part
                || (record.Fields.Flags & RecordFlags.Parted) != 0)
            {
                return $"is of kind {(int)record.Fields.Kind} within a group";
            }
        }

        return reader.Problem;
    }

    private string ApplyOne(in RecordView record, ulong lsn)
    {
        if (record.Fields.Kind == RecordKind.Void)
            return "";
        bool isParted = (record.Fields.Flags & RecordFlags.Parted) != 0;
        if (isParted && (_valueOwner != lsn || _value.Length != record.ValueLength))
            return "lacks parts of its value";
        target.Apply(record, isParted ? _value.Span : record.Value);
        Count++;
        if (isParted)
            _value.Clear();
        return "";
    }

    // Grows with what it is given.
    private sealed class ByteBuffer
    {
        private const int BytesFirst = 256 << 10;

        private byte[] _bytes = [];

        public int Length { get; private set; }

        public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, Length);

        public void Clear() => Length = 0;

        public bool TryAdd(ReadOnlySpan<byte> bytes)
        {
            long length = (long)Length + bytes.Length;
            if (length > Array.MaxLength)
                return false;
            if (length > _bytes.Length)
                Array.Resize(ref _bytes, (int)Math.Clamp(2L * length, BytesFirst, Array.MaxLength));
            bytes.CopyTo(_bytes.AsSpan(Length));
            Length = (int)length;
            return true;
        }
    }
}
