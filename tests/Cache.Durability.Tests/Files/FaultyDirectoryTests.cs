using Cache.Durability.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Files;

/// <summary>The rig itself: a fault that never happens would prove everything.</summary>
public sealed class FaultyDirectoryTests
{
    private readonly FaultyDirectory _directory = new();

    [Fact]
    public void AfterPowerLoss_WhatWasSynced_IsThere() => RandomSeed.Run(this, seed =>
    {
        var directory = new FaultyDirectory();
        Write(directory, "file", 0, [1, 2, 3], sync: true);
        directory.Sync();
        using var file = directory.AfterPowerLoss(new Random(seed)).Open("file", writable: false);
        Assert.Equal([1, 2, 3], Read(file));
    });

    [Fact]
    public void AfterPowerLoss_WhatWasNotSynced_IsThereOrNot()
    {
        var file = _directory.Create("file", 4 * FaultyContent.SectorBytes);
        _directory.Sync();
        for (int sector = 0; sector < 4; sector++)
            file.Write(sector * FaultyContent.SectorBytes, [1]);
        HashSet<string> seen = [];
        for (int seed = 0; seed < 500; seed++)
        {
            using var after = _directory.AfterPowerLoss(new Random(seed)).Open("file", writable: false);
            byte[] bytes = Read(after);
            seen.Add(string.Concat(Enumerable.Range(0, 4).Select(i => bytes[i * FaultyContent.SectorBytes])));
        }

        Assert.Equal(16, seen.Count);
    }

    [Fact]
    public void AfterPowerLoss_NamesThatWereNotSynced_AreThereInTheirOrder()
    {
        Write(_directory, "a", 0, [1], sync: true);
        _directory.Sync();
        _directory.Rename("a", "b");
        Write(_directory, "c", 0, [2], sync: true);
        var seen = Enumerable.Range(0, 100).Select(seed => _directory.AfterPowerLoss(new Random(seed)).List().Order());
        Assert.Equal(["a", "b", "b,c"], seen.Select(static names => string.Join(',', names)).Distinct().Order());
    }

    [Fact]
    public void Sync_ThatFails_LosesTheBytesForEver()
    {
        var file = _directory.Create("file", 1);
        _directory.Sync();
        file.Write(0, [7]);
        _directory.Fail(Operation.Sync, times: 1);
        Assert.Throws<IOException>(file.Sync);
        file.Sync();
        Assert.Equal([7], Read(file));
        using var after = _directory.AfterPowerLoss(new Random(1)).Open("file", writable: false);
        Assert.Equal([0], Read(after));
    }

    [Fact]
    public void Write_ThatFails_WritesAPart()
    {
        var file = _directory.Create("file", 4);
        _directory.Fail(Operation.Write, after: 1, times: 1, written: 2);
        file.Write(0, [1]);
        Assert.Throws<IOException>(() => file.Write(1, [2, 3, 4]));
        Assert.Equal([1, 2, 3, 0], Read(file));
        file.Write(3, [4]);
    }

    [Fact]
    public void Create_FullDisk_LeavesNothing()
    {
        _directory.Capacity = 10;
        Assert.Throws<IOException>(() => _directory.Create("file", 11));
        Assert.Empty(_directory.List());
        _directory.Create("file", 10).Dispose();
    }

    [Fact]
    public void Write_FullDisk_WritesWhatFits()
    {
        _directory.Capacity = 3;
        var file = _directory.Create("file", 2);
        Assert.Throws<IOException>(() => file.Write(0, [1, 2, 3, 4]));
        Assert.Equal([1, 2, 3], Read(file));
    }

    [Fact]
    public void IsReadOnly_NothingCanBeChanged()
    {
        var file = _directory.Create("file", 1);
        _directory.IsReadOnly = true;
        Assert.Throws<IOException>(() => file.Write(0, [1]));
        Assert.Throws<IOException>(() => _directory.Create("other", 1));
        Assert.Throws<IOException>(() => _directory.Rename("file", "other"));
        Assert.Throws<IOException>(() => _directory.Open("file", writable: true));
        _directory.Open("file", writable: false).Dispose();
    }

    [Fact]
    public void CrashAt_EverythingAfterIt_Fails()
    {
        _directory.CrashAt = 2;
        var file = _directory.Create("file", 1);
        file.Write(0, [1]);
        Assert.Throws<IOException>(file.Sync);
        Assert.Throws<IOException>(_directory.Sync);
    }

    private static void Write(FaultyDirectory directory, string name, long offset, byte[] bytes, bool sync)
    {
        using var file = directory.Create(name, 0);
        file.Write(offset, bytes);
        if (sync)
            file.Sync();
    }

    private static byte[] Read(StorageFile file)
    {
        byte[] bytes = new byte[file.Length];
        Assert.Equal(bytes.Length, file.Read(0, bytes));
        return bytes;
    }
}
