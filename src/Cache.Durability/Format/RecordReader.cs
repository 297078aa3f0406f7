namespace Cache.Durability.Format;

/// <summary>The records of a payload, one behind the other.</summary>
/// <remarks>It reads what anybody may have written: no size is used before it was compared.</remarks>
internal ref struct RecordReader(ReadOnlySpan<byte> payload)
{
    private readonly ReadOnlySpan<byte> _payload = payload;

    /// <summary>Where the next record begins.</summary>
    public int Position { get; private set; }

    /// <summary>What is wrong with the next record; empty if nothing is.</summary>
    public string Problem { get; private set; } = "";

    /// <summary>The next record. False at the end, and at one that is wrong: see <see cref="Problem"/>.</summary>
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
