using Cache.Durability.Catalog;

namespace Cache.Tool.Tests;

/// <summary>A folder of the system that goes with the test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("cache-tool-").FullName;

    public string Of(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>All files of a folder and their bytes.</summary>
    public static Dictionary<string, byte[]> FilesOf(string folder) =>
        Directory.EnumerateFiles(folder).ToDictionary(
            static file => System.IO.Path.GetFileName(file), File.ReadAllBytes);

    public static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string file in Directory.EnumerateFiles(from).Where(IsCopied))
            File.Copy(file, System.IO.Path.Combine(to, System.IO.Path.GetFileName(file)), overwrite: true);
    }

    // A lock cannot be copied while it is held.
    private static bool IsCopied(string file) => System.IO.Path.GetFileName(file) != FileNames.Lock;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
