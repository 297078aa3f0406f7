namespace Cache.Durability.Staging;

/// <summary>The journal cannot be written, and writes are refused until it can.</summary>
internal sealed class JournalSuspendedException(Exception failure)
    : IOException($"The journal cannot be written: {failure.Message}", failure);
