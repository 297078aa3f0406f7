using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Durability.Tests.Recovery;

namespace Cache.Durability.Tests.Catalog;

public sealed class JournalFilesTests
{
    private const long FileBytes = 16 << 10;

    private readonly FaultyDirectory _directory = new();

    [Fact]
    public void Take_FirstFile_HasItsLengthAndAHeader()
    {
        using var file = Files().Take(FileHeader.BufferedAlignment, firstLsn: 5, out ulong id);
        Assert.Equal("jrnl-000001.cj", file.Name);
        Assert.Equal(FileBytes, file.Length);
        using var reader = BlockReader.Open(_directory, file.Name, TestJournal.StoreId);
        Assert.Equal(5UL, reader.Header.FirstLsn);
        Assert.Equal(id, reader.Header.FileId);
    }

    [Fact]
    public void Take_HeaderAndNameAreOnTheDisk()
    {
        Files().Take(FileHeader.BufferedAlignment, 0, out _).Dispose();
        var after = _directory.AfterPowerLoss(new Random(1));
        BlockReader.Open(after, "jrnl-000001.cj", TestJournal.StoreId).Dispose();
    }

    [Fact]
    public void Take_Numbers_GoOnBehindAllThatAreThere()
    {
        _directory.Create("jrnl-000004.cj.bad", 0).Dispose();
        _directory.Create("jrnl-000003.cj", 0).Dispose();
        using var file = Files("jrnl-000003.cj").Take(FileHeader.BufferedAlignment, 0, out _);
        Assert.Equal("jrnl-000005.cj", file.Name);
    }

    [Fact]
    public void Take_FileThatNoManifestNames_IsUsedAgainWithoutItsBlocks()
    {
        var old = TestJournal.Create(_directory, "jrnl-000002.cj", id: 9, FileBytes);
        TestJournal.Write(old, FileHeader.Size, 9, 1, 0, "old");
        var files = Files();
        Assert.Equal(1, files.SpareCount);
        files.Take(FileHeader.BufferedAlignment, 0, out _).Dispose();
        Assert.Equal(["jrnl-000003.cj"], _directory.List());
        Assert.Empty(TestJournal.ReadKeys(_directory, TestJournal.ManifestOf("jrnl-000003.cj")));
    }

    [Fact]
    public void Take_OldFileOfAnotherLength_IsDeleted()
    {
        _directory.Create("jrnl-000001.cj", FileBytes / 2).Dispose();
        using var file = Files().Take(FileHeader.BufferedAlignment, 0, out _);
        Assert.Equal(FileBytes, file.Length);
        Assert.Equal([file.Name], _directory.List());
    }

    [Fact]
    public void Take_FullDisk_Throws()
    {
        _directory.Capacity = FileBytes - 1;
        Assert.Throws<IOException>(() => Files().Take(FileHeader.BufferedAlignment, 0, out _));
        Assert.Empty(_directory.List());
    }

    // A suspended journal tries again each few seconds, perhaps for days.
    [Fact]
    public void Take_AgainAndAgainOnAnIllDisk_LeavesNothing()
    {
        var files = Files();
        _directory.Fail(Operation.Sync);
        for (int i = 0; i < 5; i++)
            Assert.Throws<IOException>(() => files.Take(FileHeader.BufferedAlignment, 0, out _));
        Assert.Empty(_directory.List());
    }

    [Fact]
    public void Take_SpareThatCannotBeOpened_IsTakenTheNextTime()
    {
        _directory.Create("jrnl-000001.cj", FileBytes).Dispose();
        var files = Files();
        foreach (var operation in (Operation[])[Operation.Rename, Operation.Open])
        {
            _directory.Fail(operation, times: 1);
            Assert.Throws<IOException>(() => files.Take(FileHeader.BufferedAlignment, 0, out _));
        }

        using var file = files.Take(FileHeader.BufferedAlignment, 0, out _);
        Assert.Equal([file.Name], _directory.List());
    }

    [Fact]
    public void Retire_MoreThanAreKept_AreDeleted()
    {
        string[] names = ["jrnl-000001.cj", "jrnl-000002.cj", "jrnl-000003.cj"];
        foreach (string name in names)
            _directory.Create(name, FileBytes).Dispose();
        var files = Files(names);
        files.Retire(names, sparesMax: 2);
        Assert.Equal(2, files.SpareCount);
        Assert.Equal(["jrnl-000001.cj", "jrnl-000002.cj"], _directory.List().Order());
        files.Take(FileHeader.BufferedAlignment, 0, out _).Dispose();
        Assert.Equal(["jrnl-000002.cj", "jrnl-000004.cj"], _directory.List().Order());
    }

    private JournalFiles Files(params string[] used) =>
        new(_directory, TestJournal.ManifestOf(used), FileBytes, TimeProvider.System);
}
