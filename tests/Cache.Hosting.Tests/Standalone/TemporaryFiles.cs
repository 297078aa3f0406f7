namespace Cache.Hosting.Tests.Standalone;

/// <summary>A folder of its own for a test's files, removed afterwards.</summary>
internal sealed class TemporaryFiles : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("cache-test-");

    public string PathOf(string name) => Path.Combine(_folder.FullName, name);

    public string Write(string name, string text)
    {
        File.WriteAllText(PathOf(name), text);
        return PathOf(name);
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
