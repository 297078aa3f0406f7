namespace Cache.Durability.Format;

/// <summary>Reads the records of a payload, one after the other.</summary>
/// <remarks>The bytes are untrusted: no size is used before it was checked.</remarks>
internal ref struct RecordReader(ReadOnlySpan<byte> payload)
{
    private readonly ReadOnlySpan<byte> _payload = payload;

    /// <summary>The position of the next record.</summary>
    public int Position { get; private set; }

    /// <summary>The error of the next record; empty if there is none.</summary>
    public string Problem { get; private set; } = "";

    /// <summary>Reads the next record. False at the end, and at an error: see <see cref="Problem"/>.</summary>
    public bool TryRead(out RecordView record)
    {
        record = default;
        if (Position == _payload.Length || Problem.Length != 0)
            return false;
        bool isRead = RecordLayout.TryRead(_payload[Position..], out record, out string problem);
        Problem = problem;
        if (isRead)
            Position += record.Size;
        return isRead;
    }
}
