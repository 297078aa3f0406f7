using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>The directory of a store that no process uses while it is read; nothing in it is changed.</summary>
/// <remarks>
/// The lock is looked at, not taken: a server that starts meanwhile is not refused, and what was read is not believed.
/// </remarks>
internal sealed class IdleDirectory
{
    private readonly byte[] _manifest;

    private IdleDirectory(SystemDirectory directory)
    {
        Directory = directory;
        directory.ThrowIfLocked(FileNames.Lock);
        _manifest = ReadManifest();
        Manifest = ManifestFile.Read(directory) ?? throw new ToolException(WhatIsThere());
    }

    public SystemDirectory Directory { get; }

    public Manifest Manifest { get; }

    /// <exception cref="ToolException">There is no directory of a store.</exception>
    /// <exception cref="DirectoryLockedException">A process uses it.</exception>
    /// <exception cref="RefusedDirectoryException">Its manifest is damaged.</exception>
    public static IdleDirectory Open(string path)
    {
        if (File.Exists(path))
            throw new ToolException($"{path} is a file; the directory is needed in which it is.");
        if (!System.IO.Directory.Exists(path))
            throw new ToolException($"{path} does not exist.");
        return new IdleDirectory(new SystemDirectory(path));
    }

    /// <summary>Called after the last file was read.</summary>
    public void ThrowIfUsedMeanwhile()
    {
        Directory.ThrowIfLocked(FileNames.Lock);
        if (!ReadManifest().AsSpan().SequenceEqual(_manifest))
            throw new ToolException($"{Directory.Path} was used by another process meanwhile. Try again.");
    }

    private byte[] ReadManifest()
    {
        if (!Directory.List().Contains(FileNames.Manifest))
            return [];
        using var file = Directory.Open(FileNames.Manifest, writable: false);
        byte[] bytes = new byte[Math.Min(file.Length, ManifestText.BytesMax)];
        return bytes[..file.Read(0, bytes)];
    }

    private string WhatIsThere()
    {
        string message = $"{Directory.Path} has no {FileNames.Manifest}: it is not the directory of a store.";
        foreach (string child in System.IO.Directory.EnumerateDirectories(Directory.Path).Order(StringComparer.Ordinal))
        {
            if (File.Exists(Path.Combine(child, FileNames.Manifest)))
                return $"{message} {child} has one.";
        }

        return Directory.List().Any(static name => name.Contains(".aof", StringComparison.Ordinal))
            ? $"{message} It has files of Redis; let redis-server write a dump.rdb, which cache convert reads."
            : message;
    }
}
