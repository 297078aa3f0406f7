using System.Globalization;

namespace Cache.Durability.Files;

/// <summary>Another process uses the directory.</summary>
internal sealed class DirectoryLockedException(string directory, int? process)
    : IOException(process is { } number
        ? string.Create(CultureInfo.InvariantCulture, $"{directory} is used by the process {number}.")
        : $"{directory} is used by another process.")
{
    /// <summary>The number of that process, if known.</summary>
    public int? Process { get; } = process;
}
