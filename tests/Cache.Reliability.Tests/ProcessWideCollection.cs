namespace Cache.Reliability.Tests;

/// <summary>Tests that look at what the whole process occupies: they run when no other does.</summary>
[CollectionDefinition(nameof(ProcessWideCollection), DisableParallelization = true)]
public sealed class ProcessWideCollection;
