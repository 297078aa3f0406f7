using Cache.Server.Commands.Administration;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class FolderSyncTests
{
    [Fact]
    public void TrySync_Folder_IsWritten()
    {
        var folder = Directory.CreateTempSubdirectory("cache-sync-é");
        Assert.True(FolderSync.TrySync(folder.FullName));
        folder.Delete();
    }

    [Fact]
    public void TrySync_FolderThatIsGone_IsNot()
    {
        if (OperatingSystem.IsLinux())
            Assert.False(FolderSync.TrySync(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName())));
    }
}
