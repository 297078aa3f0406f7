namespace Cache.Durability.Tests.Files;

/// <summary>A folder of the system that goes with the test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("cache-durability-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
