namespace Cache.Server.Tests;

/// <summary>Tests that measure the whole process, and hence run alone.</summary>
[CollectionDefinition(nameof(ProcessWideCollection), DisableParallelization = true)]
public sealed class ProcessWideCollection;
