namespace Cache.Durability.Journaling;

/// <summary>A place between two files of the journal: a snapshot begun behind it replaces what is before.</summary>
/// <param name="Writer">The writer of the files.</param>
/// <param name="FileCount">The number of its files before the cut.</param>
/// <param name="WrittenBytes">The bytes that it had written before.</param>
/// <param name="NextSequence">The first block after the cut.</param>
/// <param name="NextLsn">A place before that of every record after the cut.</param>
internal sealed record JournalCut(
    JournalWriter Writer, int FileCount, long WrittenBytes, ulong NextSequence, ulong NextLsn);
