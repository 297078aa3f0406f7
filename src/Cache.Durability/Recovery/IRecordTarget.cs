using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>
/// Receives the records of a journal or a snapshot, in order: a store, or a tool that inspects a file.
/// </summary>
internal interface IRecordTarget
{
    /// <summary>Called with a record that will be applied soon, unless one before it is refused.</summary>
    /// <param name="record">The record; valid during the call.</param>
    void Prepare(in RecordView record)
    {
    }

    /// <summary>Applies a single record: a set, remove, expire, clear or patch.</summary>
    /// <param name="record">The record; valid during the call.</param>
    /// <param name="value">Its whole value, even if that came in parts; valid during the call.</param>
    /// <returns>The error, as words behind "a record that"; empty if there is none.</returns>
    string Apply(in RecordView record, ReadOnlySpan<byte> value);
}
