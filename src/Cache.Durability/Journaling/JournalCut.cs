namespace Cache.Durability.Journaling;

/// <summary>A place between two files of the journal: a snapshot begun behind it replaces what is before.</summary>
/// <param name="Writer">Whose files they are.</param>
/// <param name="FileCount">How many of its files lie before.</param>
/// <param name="WrittenBytes">What the writer had written before.</param>
/// <param name="NextSequence">The first block behind.</param>
/// <param name="NextLsn">No record behind has a place before this one.</param>
internal sealed record JournalCut(
    JournalWriter Writer, int FileCount, long WrittenBytes, ulong NextSequence, ulong NextLsn);
