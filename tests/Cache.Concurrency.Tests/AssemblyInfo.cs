// Each test wants all cores for its own threads.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
