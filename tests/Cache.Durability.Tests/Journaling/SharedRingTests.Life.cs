using Cache.Durability.Catalog;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;

namespace Cache.Durability.Tests.Journaling;

/// <summary>Which process's memory counts, and when it goes.</summary>
public sealed partial class SharedRingTests
{
    [Fact]
    public void Open_AnotherRunOfTheSystem_IgnoresTheRing()
    {
        var (killed, ring, path) = Killed();
        ulong store = ManifestFile.Read(killed())!.StoreId;
        SharedRing.HeadOf(Guid.NewGuid(), store).CopyTo(ring, 0);
        File.WriteAllBytes(path, ring);
        Assert.Equal(Enumerable.Range(0, Staged), Open(killed()).Found);
    }

    [Fact]
    public void Open_AnotherStore_IgnoresTheRing()
    {
        var (killed, ring, path) = Killed();
        SharedRing.HeadOf(SharedRing.ReadBoot()!.Value, 7).CopyTo(ring, 0);
        File.WriteAllBytes(path, ring);
        Assert.Equal(Enumerable.Range(0, Staged), Open(killed()).Found);
    }

    // A process in between has not found it, and has gone on without.
    [Fact]
    public void Open_RingOfAnEarlierProcess_IsIgnored()
    {
        var (killed, ring, path) = Killed();
        var directory = killed();
        var between = WithoutRing(directory);
        Assert.Equal(Enumerable.Range(0, Staged), between.Found);
        File.WriteAllBytes(path, ring);
        Assert.Equal(Enumerable.Range(0, Staged), Open(directory.AfterKill()).Found);
    }

    // What is recorded only for a snapshot continues no file.
    [Fact]
    public void Open_RecordsThatDoNotCountYet_AreIgnored()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        rig.Journal.WriteAll();
        rig.Journal.Unlist();
        Record(rig, 11, 20);
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
    }

    // Its value was acknowledged to nobody, what its key had before was, and nothing behind it was either.
    [Fact]
    public void Open_LongValueUnderAlways_EndsTheRecords()
    {
        var rig = Open(_directory, sync: SyncPolicy.Always);
        Record(rig, 0, 10);
        rig.Journal.WriteAll();
        Record(rig, 10, 12);
        RecordLong(rig);
        Record(rig, 12, 20);
        var after = _directory.AfterKill();
        Assert.Equal(Enumerable.Range(0, 12), Open(after).Found);
        Assert.Equal(Enumerable.Range(0, 12), WithoutRing(after.AfterPowerLoss(new Random(1))).Found);
    }

    [Theory]
    [InlineData(SyncPolicy.Always)]
    [InlineData(SyncPolicy.EverySecond)]
    public void Open_LongValueAfterTheSyncPolicyChanged_IsReadByTheNewOne(SyncPolicy policy)
    {
        bool isAlways = policy == SyncPolicy.Always;
        var rig = Open(_directory, sync: isAlways ? SyncPolicy.No : SyncPolicy.Always);
        Record(rig, 0, 10);
        rig.Journal.ChangeSync(policy);
        RecordLong(rig);
        Record(rig, 11, 20);
        int[] behind = isAlways ? [] : [-7, .. Enumerable.Range(11, 9)];
        Assert.Equal([.. Enumerable.Range(0, 10), .. behind], Open(_directory.AfterKill()).Found);
    }

    // It was acknowledged before the next change was to wait for a file.
    [Fact]
    public void Open_LongValueBeforeTheSyncPolicyBecameAlways_IsThere()
    {
        var rig = Open(_directory);
        RecordLong(rig);
        rig.Journal.ChangeSync(SyncPolicy.Always);
        Assert.Equal([7], Open(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Open_AfterACut_FindsWhatWasStagedBehindIt()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        var cut = rig.Journal.BeginCut();
        using (var snapshot = rig.Journal.BeginSnapshot())
        {
            snapshot.Complete();
            Record(rig, 10, 20);
            rig.Journal.Cut(cut, snapshot.Name);
        }

        Record(rig, 20, 30);
        Assert.Equal(Enumerable.Range(10, 20), Open(_directory.AfterKill()).Found);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Open_AfterHealing_FindsWhatWasStagedBehindIt(bool refusesWrites)
    {
        var rig = Open(_directory, refusesWrites);
        Record(rig, 0, 10);
        _directory.Fail(Operation.Write);
        rig.Journal.Write();
        _directory.Heal();
        rig.Journal.Resume();
        rig.Journal.Heal(snapshot: null);
        Record(rig, 10, 20);
        Assert.Equal(Enumerable.Range(10, 10), Open(_directory.AfterKill()).Found);
    }

    // Not even a manifest can be written: nothing on the disk says that records are missing before the later ones.
    [Fact]
    public void Open_KilledWhileItResumesOnAReadOnlyDisk_FindsAPrefix()
    {
        var rig = Open(_directory, refusesWrites: false);
        Record(rig, 0, 10);
        rig.Journal.WriteAll();
        _directory.IsReadOnly = true;
        Record(rig, 10, 20);
        rig.Journal.Write();
        Assert.Equal(0ul, rig.Record(20));
        rig.Journal.Resume();
        Record(rig, 30, 40);
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Open_WhileSuspended_IgnoresTheRing()
    {
        var rig = Open(_directory, refusesWrites: true);
        Record(rig, 0, 10);
        rig.Journal.Write();
        rig.Journal.Sync();
        Record(rig, 10, 20);
        rig.Journal.Fail(new IOException("full"));
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Close_RemovesTheRing()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        Assert.NotEmpty(Directory.GetFiles(_folder.Path));
        rig.Journal.Close();
        Assert.Empty(Directory.GetFiles(_folder.Path));
    }

    [Fact]
    public void Open_RingIsImpossible_GoesOnWithoutAndSaysWhy()
    {
        var rig = Open(_directory, folder: Path.Combine(_folder.Path, "none"));
        Assert.NotNull(rig.Report.RingProblem);
        Record(rig, 0, 10);
        rig.Journal.Close();
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory).Found);
    }

    [Fact]
    public void Open_TwoDirectories_HaveTwoRings()
    {
        var first = Open(_directory);
        var other = new FaultyDirectory();
        var second = Open(other);
        Record(first, 0, 10);
        Record(second, 0, 20);
        Assert.Equal(2, Directory.GetFiles(_folder.Path).Length);
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
        Assert.Equal(Enumerable.Range(0, 20), Open(other.AfterKill()).Found);
    }

    // In another container: its directory is a copy with the same path, and it sees the same shared memory.
    [Fact]
    public void Open_CopyOfTheDirectoryBesideItsProcess_LeavesItsRing()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        rig.Journal.WriteAll();
        Record(rig, 10, 20);
        var copy = OpenBeside(_directory.AfterPowerLoss(new Random(1)));
        Assert.Equal(Enumerable.Range(0, 10), copy.Found);
        Assert.Contains("another process", copy.Report.RingProblem, StringComparison.Ordinal);
        Record(copy, 30, 40);
        copy.Journal.Close();
        Assert.Equal(Enumerable.Range(0, 20), Open(_directory.AfterKill()).Found);
    }

    // The directive was changed for the next start.
    [Fact]
    public void Open_WithoutAnOwnRing_FindsWhatTheLastProcessHasLeftAndRemovesIt()
    {
        var rig = Open(_directory);
        Record(rig, 0, 20);
        var after = _directory.AfterKill();
        var next = Open(after, keepsRing: false);
        Assert.Equal(Enumerable.Range(0, 20), next.Found);
        Assert.Null(next.Report.RingProblem);
        Assert.Empty(Directory.GetFiles(_folder.Path));
        Assert.Equal(Enumerable.Range(0, 20), Open(after.AfterKill(), keepsRing: false).Found);
    }

    [Fact]
    public void Open_DiskFailsWhereWhatWasFoundIsWritten_LeavesNoOtherFile()
    {
        for (int write = 0; write < 20; write++)
        {
            using var rings = new TemporaryFolder();
            var directory = new FaultyDirectory();
            var rig = Open(directory, folder: rings.Path);
            Record(rig, 0, 20);
            string path = Assert.Single(Directory.GetFiles(rings.Path));
            var after = directory.AfterKill();
            after.Fail(Operation.Write, after: write);
            bool isOpen = TryOpen(after, rings.Path);
            Assert.Equal([path], Directory.GetFiles(rings.Path));
            if (isOpen)
                return;
            after.Heal();
            Assert.Equal(Enumerable.Range(0, 20), Open(after.AfterKill(), folder: rings.Path).Found);
        }

        Assert.Fail("No start succeeded.");
    }

    // Its name is a folder's now.
    [Fact]
    public void Open_RingCannotBeReplaced_LeavesNoOtherFile()
    {
        var rig = Open(_directory);
        rig.Journal.Close();
        string path = SharedRing.PathOf(_folder.Path, _directory.Path, ManifestFile.Read(_directory)!.StoreId);
        Directory.CreateDirectory(path);
        var next = Open(_directory.AfterKill());
        Assert.NotNull(next.Report.RingProblem);
        Assert.Empty(Directory.GetFiles(_folder.Path));
    }

    // A process that reloads its store has another one at once; this one is mapped until the collector comes.
    [Fact]
    public void Close_GivesTheMemoryBack()
    {
        var rig = Open(_directory);
        Record(rig, 0, 3_000);
        string path = Assert.Single(Directory.GetFiles(_folder.Path));
        using var file = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
        byte[] head = new byte[8];
        Assert.Equal(8, RandomAccess.Read(file, head, 0));
        Assert.NotEqual(new byte[8], head);
        rig.Journal.Close();
        RandomAccess.Read(file, head, 0);
        Assert.Equal(new byte[8], head); // A page that was given back is zero.
    }

    [Fact]
    public void PathOf_DirectoryWithASeparatorBehindIt_IsTheSame() =>
        Assert.Equal(SharedRing.PathOf("/folder", "/a/b", 7), SharedRing.PathOf("/folder", "/a/b/", 7));

    [Fact]
    public void Open_Ring_IsForItsOwnerAlone()
    {
        _ = Open(_directory);
        string path = Assert.Single(Directory.GetFiles(_folder.Path));
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
    }

    // It may be another user's.
    [Fact]
    public void Open_RingThatOthersMayWrite_IsIgnored()
    {
        var (killed, _, path) = Killed();
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherWrite);
        Assert.Equal(Enumerable.Range(0, Staged), Open(killed()).Found);
    }
}
