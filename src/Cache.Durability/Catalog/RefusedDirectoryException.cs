namespace Cache.Durability.Catalog;

/// <summary>The valid files of a directory are unknown: nothing in it is changed.</summary>
internal sealed class RefusedDirectoryException(string directory, string file, string problem)
    : IOException($"{directory}: {file} {problem}.");
