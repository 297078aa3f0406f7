namespace Cache.Durability.Catalog;

/// <summary>A directory does not say which of its files count: nothing in it is changed.</summary>
internal sealed class RefusedDirectoryException(string directory, string file, string problem)
    : IOException($"{directory}: {file} {problem}.");
