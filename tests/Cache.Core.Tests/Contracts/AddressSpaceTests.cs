namespace Cache.Core.Tests.Contracts;

/// <summary>Files as the kernel writes them, in a folder of the test's own.</summary>
public sealed class AddressSpaceTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("cache-addresses-");

    public void Dispose() => _root.Delete(recursive: true);

    [Fact]
    public void ReadFreeBytes_OfAnUnlimitedProcess_IsAll()
    {
        Write("proc/self/limits", "Max address space         unlimited            unlimited            bytes\n");
        Write("proc/sys/vm/overcommit_memory", "0\n");

        Assert.Equal(long.MaxValue, AddressSpace.ReadFreeBytes(_root.FullName));
    }

    [Fact]
    public void ReadFreeBytes_UnderALimit_IsWhatIsLeftOfIt()
    {
        Write("proc/self/limits", "Max address space         1073741824           unlimited            bytes\n");
        Write("proc/self/statm", "1000 200 3 4 0 5 0\n");

        Assert.Equal(
            1_073_741_824 - 1_000L * Environment.SystemPageSize, AddressSpace.ReadFreeBytes(_root.FullName));
    }

    [Fact]
    public void ReadFreeBytes_UnderStrictOvercommit_IsWhatMayStillBeCommitted()
    {
        Write("proc/sys/vm/overcommit_memory", "2\n");
        Write("proc/meminfo", "MemTotal: 8000 kB\nCommitLimit:        6000 kB\nCommitted_AS:       1000 kB\n");

        Assert.Equal(5_000L << 10, AddressSpace.ReadFreeBytes(_root.FullName));
    }

    private void Write(string path, string text)
    {
        string full = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
