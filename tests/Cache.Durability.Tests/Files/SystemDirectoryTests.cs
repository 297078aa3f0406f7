using System.Diagnostics;
using Cache.Durability.Files;

namespace Cache.Durability.Tests.Files;

public sealed class SystemDirectoryTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SystemDirectory _directory;

    public SystemDirectoryTests() => _directory = new SystemDirectory(_folder.Path);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Create_NewFile_HasItsLengthInZeros(bool isWritten)
    {
        using var file = _directory.Create("new", 3 << 20, isWritten);
        byte[] bytes = new byte[4096];
        bytes.AsSpan().Fill(1);
        Assert.Equal(3 << 20, file.Length);
        Assert.Equal(4096, file.Read((3 << 20) - 4096, bytes));
        Assert.All(bytes, static value => Assert.Equal(0, value));
    }

    [Fact]
    public void Create_NameThatIsThere_Throws()
    {
        using (var file = _directory.Create("name", 16))
            file.Write(0, new byte[] { 1 });
        Assert.Throws<IOException>(() => _directory.Create("name", 0));
        Assert.Equal(1, File.ReadAllBytes(Path.Combine(_folder.Path, "name"))[0]);
    }

    [Fact]
    public void Create_NewFile_IsForItsOwnerOnly()
    {
        if (!OperatingSystem.IsLinux())
            return;
        _directory.Create("new", 1 << 20).Dispose();
        Assert.Equal(
            UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Path.Combine(_folder.Path, "new")));
    }

    [Fact]
    public void ThrowIfLocked_ChangesNothing()
    {
        _directory.ThrowIfLocked("lock");
        Assert.Empty(_directory.List());
        using (_directory.Lock("lock"))
        {
            var locked = Assert.Throws<DirectoryLockedException>(() => _directory.ThrowIfLocked("lock"));
            Assert.Equal(OperatingSystem.IsLinux() ? Environment.ProcessId : null, locked.Process);
        }

        _directory.ThrowIfLocked("lock");
        using (_directory.Lock("lock"))
        {
        }
    }

    [Fact]
    public void Open_NameThatIsNotThere_ThrowsIOException() =>
        Assert.ThrowsAny<IOException>(() => _directory.Open("none", writable: false));

    [Fact]
    public void Write_Parts_LieBehindOneAnother()
    {
        using var file = _directory.Create("parts", 16);
        file.Write(4, [new byte[] { 1, 2 }, new byte[] { 3 }, new byte[] { 4, 5 }]);
        file.Sync();
        byte[] bytes = new byte[16];
        Assert.Equal(16, file.Read(0, bytes));
        Assert.Equal([0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0], bytes);
    }

    // A file that has become immutable, a ticket that has expired: the system calls it a missing right.
    [Fact]
    public void Write_WithoutTheRight_ThrowsIOException()
    {
        _directory.Create("file", 16).Dispose();
        using var file = _directory.Open("file", writable: false);
        Assert.ThrowsAny<IOException>(() => file.Write(0, new byte[1]));
        Assert.ThrowsAny<IOException>(() => file.Write(0, [new byte[1], new byte[2]]));
        Assert.ThrowsAny<IOException>(() => file.SetLength(1));
    }

    [Fact]
    public void Read_BehindTheEnd_ReadsWhatThereIs()
    {
        using var file = _directory.Create("short", 10);
        Assert.Equal(3, file.Read(7, new byte[16]));
        Assert.Equal(0, file.Read(10, new byte[16]));
    }

    [Fact]
    public void Rename_NameThatIsThere_IsReplaced()
    {
        _directory.Create("old", 1).Dispose();
        _directory.Create("new", 2).Dispose();
        _directory.Rename("new", "old");
        _directory.Sync();
        using var file = _directory.Open("old", writable: false);
        Assert.Equal(2, file.Length);
        Assert.Equal(["old"], _directory.List());
    }

    [Fact]
    public void SetLength_Shorter_CutsTheFile()
    {
        using var file = _directory.Create("cut", 8);
        file.SetLength(3);
        Assert.Equal(3, file.Length);
    }

    [Fact]
    public void FreeBytes_IsOfTheDisk() => Assert.InRange(_directory.FreeBytes(), 1, long.MaxValue);

    [Fact]
    public void Sync_DirectoryThatIsGone_Throws() =>
        Assert.Throws<IOException>(() => new SystemDirectory(Path.Combine(_folder.Path, "gone")).Sync());

    [Fact]
    public void Lock_SecondTime_NamesTheProcess()
    {
        using var held = _directory.Lock("cache.lock");
        var failure = Assert.Throws<DirectoryLockedException>(() => _directory.Lock("cache.lock"));
        Assert.Equal(Environment.ProcessId, failure.Process);
        Assert.Contains($"process {Environment.ProcessId}", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Lock_AfterItWasGiven_IsTaken()
    {
        _directory.Lock("cache.lock").Dispose();
        _directory.Lock("cache.lock").Dispose();
    }

    [Fact]
    public void Lock_HeldByAnotherProcess_IsRefused()
    {
        string name = Path.Combine(_folder.Path, "cache.lock");
        File.WriteAllText(name, "4711");
        var start = new ProcessStartInfo("flock", ["--exclusive", name, "sh", "-c", "echo held; read line"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using var other = Process.Start(start)!;
        Assert.Equal("held", other.StandardOutput.ReadLine());
        Assert.Equal(4711, Assert.Throws<DirectoryLockedException>(() => _directory.Lock("cache.lock")).Process);
        other.StandardInput.WriteLine();
        other.WaitForExit();
        _directory.Lock("cache.lock").Dispose();
    }
}
