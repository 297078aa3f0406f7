using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Journaling;

public sealed class JournalTests
{
    private readonly FaultyDirectory _directory = new();

    [Fact]
    public void Open_EmptyDirectory_FindsNothing()
    {
        var rig = new JournalRig(_directory);
        Assert.Empty(rig.Found);
        Assert.Equal(ManifestState.Open, ManifestFile.Read(_directory)!.State);
    }

    [Fact]
    public void Open_AfterClose_FindsEverything()
    {
        var rig = new JournalRig(_directory);
        Record(rig, 0, 5000);
        rig.Journal.Close();
        rig.Journal.Dispose();
        Assert.Equal(ManifestState.Clean, ManifestFile.Read(_directory)!.State);
        Assert.Equal(Enumerable.Range(0, 5000), new JournalRig(_directory).Found);
    }

    [Fact]
    public void Open_AfterKill_FindsWhatWasWritten()
    {
        var rig = new JournalRig(_directory);
        Record(rig, 0, 100);
        rig.Journal.Write();
        Record(rig, 100, 200);
        Assert.Equal(Enumerable.Range(0, 100), new JournalRig(_directory.AfterKill()).Found);
    }

    // What a killed process has written is in the system's memory alone until somebody syncs it; so may whole files be.
    [Theory]
    [InlineData(20, 50)]
    [InlineData(3_000, 5)]
    public void Open_PowerLostAfterAKillAndAStart_FindsWhatTheStartFound(int records, int rounds) =>
        RandomSeed.Run(this, seed =>
        {
            var random = new Random(seed);
            for (int round = 0; round < rounds; round++)
            {
                var directory = new FaultyDirectory();
                var killed = new JournalRig(directory);
                for (int i = 0; i < 5; i++)
                {
                    Record(killed, records * i, records * (i + 1));
                    killed.Journal.Write();
                }

                directory = directory.AfterKill();
                var rig = new JournalRig(directory);
                Record(rig, 5 * records, 5 * records + 50);
                rig.Journal.Write();
                rig.Journal.Sync();
                Assert.Equal(
                    Enumerable.Range(0, 5 * records + 50), new JournalRig(directory.AfterPowerLoss(random)).Found);
            }
        });

    [Fact]
    public void Open_Again_GoesOnBehindTheLastOne()
    {
        for (int start = 0; start < 5; start++)
        {
            var rig = new JournalRig(_directory);
            Assert.Equal(Enumerable.Range(0, 100 * start), rig.Found);
            Record(rig, 100 * start, 100 * start + 100);
            if (start % 2 == 0)
                rig.Journal.Close();
            else
                rig.Journal.Write();
            rig.Journal.Dispose();
        }
    }

    [Fact]
    public void Write_MoreThanAFile_GoesOnInTheNextOne()
    {
        var rig = new JournalRig(_directory);
        for (int i = 0; i < 20; i++)
        {
            Record(rig, 1000 * i, 1000 * i + 1000);
            rig.Journal.Write();
        }

        rig.Journal.Sync();
        Assert.True(ManifestFile.Read(_directory)!.Journals.Count > 5);
        Assert.Equal(Enumerable.Range(0, 20_000), new JournalRig(_directory.AfterPowerLoss(new Random(1))).Found);
    }

    [Fact]
    public void WaitAsync_CompletesWithTheSyncOfItsRecord()
    {
        var rig = new JournalRig(_directory);
        var first = rig.Journal.WaitAsync(rig.Record(1));
        rig.Journal.Write();
        var second = rig.Journal.WaitAsync(rig.Record(2));
        Assert.False(first.IsCompleted);
        rig.Journal.Sync();
        Assert.True(first.IsCompletedSuccessfully);
        Assert.False(second.IsCompleted);
        rig.Journal.Write();
        rig.Journal.Sync();
        Assert.True(second.IsCompletedSuccessfully);
    }

    [Fact]
    public void Write_Error_SuspendsAndTellsWhoWaits()
    {
        var rig = new JournalRig(_directory);
        var waiting = rig.Journal.WaitAsync(rig.Record(1));
        _directory.Fail(Operation.Write);
        rig.Journal.Write();
        Assert.Equal(JournalState.Suspended, rig.Journal.State);
        Assert.NotNull(rig.Journal.Failure);
        Assert.Throws<JournalSuspendedException>(() => waiting.GetAwaiter().GetResult());
        Assert.Equal(ManifestState.Refused, ManifestFile.Read(_directory)!.State);
        Assert.Throws<JournalSuspendedException>(() => rig.Record(2));
    }

    [Fact]
    public void Sync_Error_IsNotTriedAgain()
    {
        var rig = new JournalRig(_directory);
        ulong lsn = rig.Record(1);
        rig.Journal.Write();
        _directory.Fail(Operation.Sync, times: 1);
        rig.Journal.Sync();
        int calls = _directory.Calls[(int)Operation.Sync];
        rig.Journal.Sync();
        Assert.Equal(calls, _directory.Calls[(int)Operation.Sync]);
        Assert.True(rig.Journal.WaitAsync(lsn).IsFaulted);
    }

    // It replaces old snapshots, and the manifest on the disk may name one of them.
    [Fact]
    public void BeginSnapshot_AfterAManifestThatMayBeOnTheDisk_SettlesThatFirst()
    {
        var rig = new JournalRig(_directory);
        _directory.Fail(Operation.SyncDirectory, times: 2);
        Assert.Throws<IOException>(() => rig.Catalog.Change(static manifest => manifest));
        Assert.True(rig.Catalog.IsUncertain);
        Assert.Throws<IOException>(rig.Journal.BeginSnapshot);
        using var snapshot = rig.Journal.BeginSnapshot();
        Assert.False(rig.Catalog.IsUncertain);
    }

    [Fact]
    public void Suspended_WritesThatGoOn_AreNotRecorded()
    {
        var rig = Continuing();
        rig.Record(1);
        _directory.Capacity = 0;
        _directory.Fail(Operation.Write);
        rig.Journal.Write();
        Assert.Equal(0UL, rig.Record(2));
        Assert.True(rig.Journal.WaitAsync(ulong.MaxValue - 1).IsCompletedSuccessfully);
    }

    [Fact]
    public void Open_AfterSuspension_BeginsEmptyAndKeepsTheFiles()
    {
        Suspend();
        var rig = new JournalRig(_directory.AfterKill());
        Assert.Empty(rig.Found);
        Assert.True(rig.Report.WasSuspended);
        Assert.True(rig.Report.IsEmpty);
    }

    [Fact]
    public void Open_AfterSuspension_FilesArePutAside()
    {
        Suspend();
        var after = _directory.AfterKill();
        _ = new JournalRig(after);
        Assert.Contains("jrnl-000001.cj.bad", after.List());
    }

    // What the new process has not put aside yet it would take for files to be used again.
    [Fact]
    public void Open_AfterSuspensionCrashesAnywhere_KeepsTheFiles()
    {
        for (int crash = 0; crash < 40; crash++)
        {
            var directory = new FaultyDirectory();
            Suspend(directory);
            var after = directory.AfterKill();
            after.CrashAt = after.Operations + crash;
            bool isOpen = TryOpen(after);
            after = after.AfterKill();
            _ = new JournalRig(after);
            Assert.Contains("jrnl-000001.cj.bad", after.List());
            if (isOpen)
                return;
        }

        Assert.Fail("No start succeeded.");
    }

    [Fact]
    public void Open_AfterSuspensionWithForce_FindsWhatWasWritten()
    {
        Suspend();
        Assert.Equal([1], new JournalRig(_directory.AfterKill(), RecoveryMode.Force).Found);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Heal_NewFilesStandAlone(bool refusesWrites)
    {
        var rig = new JournalRig(_directory, options: new JournalOptions
        {
            FileBytes = JournalRig.FileBytes,
            RefusesWritesOnError = refusesWrites,
        });
        rig.Record(1);
        rig.Journal.Write();
        _directory.Fail(Operation.Sync, times: 1);
        rig.Journal.Sync();
        rig.Journal.Resume();
        if (!refusesWrites)
            Assert.NotEqual(0UL, rig.Record(2));
        rig.Journal.Heal(snapshot: null);
        Assert.Equal(JournalState.Writing, rig.Journal.State);
        var waiting = rig.Journal.WaitAsync(rig.Record(3));
        Assert.False(waiting.IsCompleted);
        rig.Journal.Write();
        rig.Journal.Sync();
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(
            refusesWrites ? [3] : [2, 3], new JournalRig(_directory.AfterPowerLoss(new Random(1))).Found);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Heal_NothingWasWrittenSince_NobodyWaits(bool refusesWrites)
    {
        var rig = Suspended(refusesWrites);
        rig.Journal.Resume();
        rig.Journal.Heal(snapshot: null);
        Assert.True(rig.Journal.WaitAsync(rig.Journal.Staging.EndLsn).IsCompletedSuccessfully);
        Assert.False(rig.Journal.WaitAsync(rig.Record(2)).IsCompleted);
    }

    // A place is told once: a start finds no block that says how far they were.
    [Fact]
    public void Heal_NothingWasWrittenSince_PlacesGoOnAtTheNextStart()
    {
        var rig = Suspended(refusesWrites: true);
        rig.Journal.Resume();
        rig.Journal.Heal(snapshot: null);
        ulong last = rig.Record(2);
        Assert.InRange(new JournalRig(_directory.AfterKill()).Record(3), last, ulong.MaxValue);
    }

    [Fact]
    public void Heal_OldFiles_AreGone()
    {
        var rig = Suspended(refusesWrites: true);
        rig.Journal.Resume();
        Assert.Contains("jrnl-000001.cj", _directory.List());
        rig.Journal.Heal(snapshot: null);
        Assert.DoesNotContain("jrnl-000001.cj", _directory.List());
    }

    // They are older than the snapshot that follows: read behind it they would undo what it holds.
    [Fact]
    public void Resume_WhatWasStagedBeforeTheError_IsNotWritten()
    {
        var rig = Continuing();
        rig.Record(1);
        rig.Journal.Write();
        rig.Record(2);
        _directory.Fail(Operation.Sync, times: 1);
        rig.Journal.Sync();
        rig.Journal.Resume();
        rig.Record(3);
        rig.Journal.Write();
        rig.Journal.Heal(snapshot: null);
        Assert.Equal([3], new JournalRig(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Write_ManyFilesThatNobodySyncs_KeepsOneOpen()
    {
        var rig = new JournalRig(_directory, options: new JournalOptions
        {
            FileBytes = JournalRig.FileBytes,
            Sync = SyncPolicy.No,
        });
        for (int i = 0; i < 10; i++)
        {
            Record(rig, 1000 * i, 1000 * i + 1000);
            rig.Journal.Write();
        }

        Assert.True(ManifestFile.Read(_directory)!.Journals.Count > 5);
        Assert.Equal(1, _directory.OpenFiles);
        rig.Journal.Close();
        rig.Journal.Dispose();
        Assert.Equal(0, _directory.OpenFiles);
        Assert.Equal(Enumerable.Range(0, 10_000), new JournalRig(_directory.AfterPowerLoss(new Random(1))).Found);
    }

    [Fact]
    public void Resume_DiskIsStillFull_SuspendsAgain()
    {
        var rig = Continuing();
        rig.Record(1);
        _directory.Fail(Operation.Create);
        rig.Journal.Write();
        rig.Journal.Resume();
        rig.Record(2);
        rig.Journal.Write();
        Assert.Equal(JournalState.Suspended, rig.Journal.State);
        _directory.Heal();
        rig.Journal.Resume();
        rig.Record(3);
        rig.Journal.Write();
        rig.Journal.Heal(null);
        Assert.Equal([3], new JournalRig(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Write_EverySecondAndTwoSecondsUnsynced_HoldsWriters()
    {
        var time = new FakeTimeProvider();
        var rig = new JournalRig(_directory, options: new JournalOptions
        {
            FileBytes = JournalRig.FileBytes,
            Time = time,
        });
        rig.Record(1);
        rig.Journal.Write();
        time.Advance(TimeSpan.FromSeconds(2.5));
        rig.Record(2);
        Assert.True(rig.Journal.Write());
        rig.Record(3);
        Assert.False(rig.Journal.Write());
        rig.Journal.Sync();
        Assert.True(rig.Journal.Write());
    }

    [Fact]
    public void Write_LongValue_IsThereInPartsBeforeItsRecord()
    {
        var rig = new JournalRig(_directory, options: new JournalOptions { FileBytes = 2 << 20 });
        byte[] value = new byte[1_000_000];
        Array.Fill(value, (byte)7);
        var fields = new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Parted };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, 1, value.Length);
        Assert.True(rig.Journal.Staging.TryReserve(size, out var place));
        RecordLayout.Write(place.Bytes, fields, "7"u8, default, value.Length);
        var given = new ArrayValue(place.Lsn, value);
        place.Chunk.Add(given);
        place.Fill();
        rig.Journal.Close();
        Assert.True(given.IsDisposed);
        var after = new JournalRig(_directory);
        Assert.Equal([7], after.Found);
        Assert.Equal(value, after.TakeParts());
    }

    [Fact]
    public void Open_TornTail_IsCutAndReadTheSameAgain()
    {
        var rig = new JournalRig(_directory);
        rig.Record(1);
        rig.Journal.Write();
        rig.Record(2);
        rig.Journal.Write();
        var content = _directory.ContentOf("jrnl-000001.cj");
        content.Damage(FileHeader.Size + 64, [0xFF]);
        var cut = new JournalRig(_directory);
        Assert.Empty(cut.Found);
        Assert.Equal(1UL, cut.Report.Tail!.Sequence);
        cut.Record(3);
        cut.Journal.Write();
        cut.Journal.Sync();
        var after = new JournalRig(_directory);
        Assert.Equal([3], after.Found);
        Assert.Null(after.Report.Tail);
    }

    // Else each start would leave a file of the whole length.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Open_FilesThatEnded_AreCutToTheirEnd(bool isClosed)
    {
        for (int start = 0; start < 3; start++)
        {
            var rig = new JournalRig(_directory);
            rig.Record(start);
            rig.Journal.Write();
            if (isClosed)
                rig.Journal.Close();
            rig.Journal.Dispose();
        }

        var after = new JournalRig(_directory);
        Assert.Equal([0, 1, 2], after.Found);
        Assert.Equal(3, ManifestFile.Read(_directory)!.Journals.Count);
        Assert.All(
            ManifestFile.Read(_directory)!.Journals,
            name => Assert.InRange(_directory.ContentOf(name).Bytes.Length, FileHeader.Size + 1, 2 * FileHeader.Size));
    }

    [Fact]
    public void Open_DamagedFile_ChangesNothing()
    {
        var rig = new JournalRig(_directory);
        rig.Record(1);
        rig.Journal.Close();
        _directory.ContentOf("jrnl-000001.cj").Damage(FileHeader.Size + 70, [0xFF]);
        var names = _directory.List();
        Assert.Throws<RecoveryRefusedException>(() => new JournalRig(_directory));
        Assert.Equal(names, _directory.List());
        Assert.Equal(ManifestState.Clean, ManifestFile.Read(_directory)!.State);
        Assert.Single(new JournalRig(_directory, RecoveryMode.Skip).Report.Gaps);
    }

    private JournalRig Continuing() => new(_directory, options: new JournalOptions
    {
        FileBytes = JournalRig.FileBytes,
        RefusesWritesOnError = false,
    });

    private JournalRig Suspended(bool refusesWrites)
    {
        var options = new JournalOptions { FileBytes = JournalRig.FileBytes, RefusesWritesOnError = refusesWrites };
        var rig = new JournalRig(_directory, options: options);
        rig.Record(1);
        rig.Journal.Write();
        _directory.Fail(Operation.Sync, times: 1);
        rig.Journal.Sync();
        return rig;
    }

    private void Suspend() => Suspend(_directory);

    private static void Suspend(FaultyDirectory directory)
    {
        var rig = new JournalRig(directory, options: new JournalOptions
        {
            FileBytes = JournalRig.FileBytes,
            Chunks = 8,
            RefusesWritesOnError = false,
        });
        rig.Record(1);
        rig.Journal.Write();
        directory.Fail(Operation.Sync, times: 1);
        rig.Journal.Sync();
    }

    private static bool TryOpen(FaultyDirectory directory)
    {
        try
        {
            _ = new JournalRig(directory);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static void Record(JournalRig rig, int from, int to)
    {
        for (int number = from; number < to; number++)
            rig.Record(number);
    }

    private sealed class ArrayValue(ulong lsn, byte[] value) : LongValue(lsn)
    {
        public bool IsDisposed { get; private set; }

        public override int Length => value.Length;

        public override void CopyTo(int offset, Span<byte> part) => value.AsSpan(offset, part.Length).CopyTo(part);

        protected override void Dispose(bool disposing) => IsDisposed = true;
    }
}
