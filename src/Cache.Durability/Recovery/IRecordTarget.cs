using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Takes the records of a journal or a snapshot, in their order: a store, or who looks at a file.</summary>
internal interface IRecordTarget
{
    /// <summary>Takes a record that stands alone: a set, remove, expire, clear or patch.</summary>
    /// <param name="record">Not to be kept.</param>
    /// <param name="value">Its value, also if that came in parts; not to be kept.</param>
    /// <returns>What is wrong with it, as words behind "a record that"; empty if nothing is.</returns>
    string Apply(in RecordView record, ReadOnlySpan<byte> value);
}
