namespace Cache.Core.Tests.Contracts;

/// <summary>Files as the kernel writes them, in a folder of the test's own.</summary>
public sealed class MachineMemoryTests : IDisposable
{
    private const long MachineBytes = 8_000_000L << 10;

    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("cache-memory-");

    public MachineMemoryTests() => Write("proc/meminfo", "MemTotal:        8000000 kB\nMemFree:  1 kB\n");

    [Fact]
    public void Machine_WithoutGroups_HasItsMemory() => AssertAvailable(MachineBytes);

    [Fact]
    public void Container_OfVersion2_SeesItsGroupAsTheRoot()
    {
        Write("proc/self/cgroup", "0::/\n");
        Write("sys/fs/cgroup/memory.max", "536870912\n");
        AssertAvailable(512 << 20);
    }

    [Fact]
    public void Group_OfVersion2_HasTheLeastLimitAboveIt()
    {
        Write("proc/self/cgroup", "0::/system.slice/cache.service\n");
        Write("sys/fs/cgroup/system.slice/cache.service/memory.max", "3000000000\n");
        Write("sys/fs/cgroup/system.slice/memory.max", "2000000000\n");
        AssertAvailable(2_000_000_000);
    }

    [Fact]
    public void Group_WithoutALimit_HasTheMachinesMemory()
    {
        Write("proc/self/cgroup", "0::/a\n");
        Write("sys/fs/cgroup/a/memory.max", "max\n");
        AssertAvailable(MachineBytes);
    }

    [Fact]
    public void Container_OfVersion1_MaySeeThePathOfTheMachine()
    {
        Write("proc/self/cgroup", "5:cpu,memory:/docker/abc\n3:devices:/docker/abc\n0::/\n");
        Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
        AssertAvailable(1 << 30);
    }

    [Fact]
    public void Group_OfVersion1_WithoutALimit_HasTheMachinesMemory()
    {
        Write("proc/self/cgroup", "4:memory:/\n");
        Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        AssertAvailable(MachineBytes);
    }

    [Fact]
    public void Files_OfAnotherForm_SayNothing()
    {
        Write("proc/self/cgroup", "nonsense\n\n0::\n");
        Write("sys/fs/cgroup/memory.max", "-5\n1 gb\n");
        AssertAvailable(MachineBytes);
    }

    [Fact]
    public void System_WithoutSuchFiles_HasWhatTheRuntimeTells()
    {
        File.Delete(Path.Combine(_root.FullName, "proc/meminfo"));
        AssertAvailable(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
    }

    [Fact]
    public void Default_IsAQuarter() =>
        Assert.Equal(CacheOptions.AvailableMemoryBytes / 4, new CacheOptions().MemoryLimitBytes);

    public void Dispose() => _root.Delete(recursive: true);

    private void AssertAvailable(long bytes) => Assert.Equal(bytes, MachineMemory.Read(_root.FullName));

    private void Write(string path, string text)
    {
        string file = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}
