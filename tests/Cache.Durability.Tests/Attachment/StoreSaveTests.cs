using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>A snapshot takes the place of the files before it, while others write.</summary>
public sealed class StoreSaveTests
{
    private const string Snapshot = "base-000001.snap";

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void Save_OfAJournal_EndsIt()
    {
        using var rig = Open(_directory);
        Fill(rig.Store);
        rig.Durable.Save();
        Assert.Contains(Snapshot, _directory.List());
        Assert.Empty(ManifestFile.Read(_directory)!.Journals);
        Assert.Equal(0, rig.Durable.Journal.Bytes);
        rig.Store.Set("behind"u8, "1"u8);
        rig.Durable.Journal.Write();
        Assert.NotEqual(0, rig.Durable.Journal.Bytes);
        rig.Durable.Journal.Sync();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // The files of a journal that was ended are written again, rather than made.
    [Fact]
    public void Save_Again_UsesTheFilesAgain()
    {
        using var rig = Open(_directory);
        for (int i = 0; i < 4; i++)
        {
            rig.Store.Set("a"u8, [(byte)i]);
            rig.Durable.Save();
        }

        Assert.Equal(["base-000004.snap", "jrnl-000004.cj", "jrnl-000005.cj"], Names(_directory));
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // What the snapshot has of changes that were made meanwhile is not without the changes before them.
    [Fact]
    public void Save_CrashesAnywhere_LeavesNoChangeWithoutThoseBefore() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int later = 0;
        for (int crash = 0; crash < 100; crash++)
        {
            var directory = new FaultyDirectory();
            using var rig = Open(directory);
            Fill(rig.Store);
            rig.Durable.Journal.Write();
            rig.Durable.Journal.Sync();
            int steps = 0;
            rig.Durable.Written = _ => // Behind the first keyspace, before the second.
            {
                if (steps++ != 0)
                    return;
                rig.Store.Set("first"u8, "1"u8);
                rig.Store.SelectKeyspace(1).Set("second"u8, "1"u8);
            };
            directory.CrashAt = directory.Operations + crash;
            try
            {
                rig.Durable.Save();
            }
            catch (IOException)
            {
            }

            using var after = Open(directory.AfterPowerLoss(random));
            Assert.True(after.Store.Contains("short"u8));
            bool hasSecond = after.Store.SelectKeyspace(1).Contains("second"u8);
            Assert.True(after.Store.Contains("first"u8) || !hasSecond, $"Crash {crash}.");
            later += hasSecond ? 1 : 0;
            if (!directory.HasCrashed)
                break;
        }

        Assert.NotEqual(0, later);
    });

    // Else it may hold a change without one before it.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Save_WhileSyncsAreLeftOutOrWritersHeld_IsDurableUpToItsEnd(bool isLeftOut)
    {
        using var rig = Open(_directory);
        Fill(rig.Store);
        rig.Durable.Journal.SkipsSyncs = isLeftOut;
        int steps = 0;
        rig.Durable.Written = _ =>
        {
            if (steps++ != 0)
                return;
            for (int i = 0; i < 2; i++) // Since the first one is not synced yet, the second holds writers.
            {
                rig.Store.Set("before"u8, [(byte)i]);
                rig.Durable.Journal.Write();
                _clock.Advance(3_000);
            }

            rig.Store.Set("first"u8, "1"u8);
            rig.Store.SelectKeyspace(1).Set("second"u8, "1"u8);
        };
        rig.Durable.Save();
        for (int seed = 0; seed < 20; seed++)
        {
            using var after = Open(_directory.AfterPowerLoss(new Random(seed)));
            Assert.True(after.Store.SelectKeyspace(1).Contains("second"u8));
            Assert.True(after.Store.Contains("first"u8));
        }
    }

    [Fact]
    public void Dispose_BeforeWhatIsRecordedCounts_LeavesWhatCounts()
    {
        using (var rig = Open(_directory, isRecording: false))
        {
            rig.Store.Set("old"u8, "1"u8);
            rig.Durable.Save();
            rig.Durable.BeginRecording();
            rig.Store.Set("recorded"u8, "1"u8);
            rig.Durable.Journal.Write();
        }

        using var after = Open(_directory);
        Assert.True(after.Store.Contains("old"u8));
        Assert.False(after.Store.Contains("recorded"u8));
    }

    [Fact]
    public void Save_DiskIsFull_TheJournalStillCounts()
    {
        using var rig = Open(_directory);
        Fill(rig.Store);
        rig.Durable.Journal.Write();
        _directory.Fail(Operation.Create);
        Assert.Throws<IOException>(rig.Durable.Save);
        rig.Store.Set("behind"u8, "1"u8);
        rig.Durable.Journal.Write();
        Assert.Equal(JournalState.Writing, rig.Durable.Journal.State);
        _directory.Heal();
        rig.Durable.Journal.Sync();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
        rig.Durable.Save();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // A manifest that could not be replaced may be the new one on the disk: its files stay until that is known.
    [Fact]
    public void Save_FailsAnywhere_TheNextOneDeletesNothingThatCounts() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        foreach (var operation in Enum.GetValues<Operation>())
        {
            for (int after = 0; after < 12; after++)
            {
                var directory = new FaultyDirectory();
                using var rig = Open(directory);
                Fill(rig.Store);
                rig.Durable.Journal.Write();
                rig.Durable.Journal.Sync();
                directory.Fail(operation, after, times: 1);
                TrySave(rig);
                directory.Heal();
                directory.Fail(Operation.Create);
                TrySave(rig);
                var left = directory.AfterPowerLoss(random);
                if (ManifestFile.Read(left)!.State == ManifestState.Suspended)
                    continue;
                using var started = Open(left);
                Assert.True(started.Store.Contains("short"u8), $"{operation} {after}.");
            }
        }
    });

    [Fact]
    public void Save_NothingIsRecorded_HoldsTheStore()
    {
        using var rig = Open(_directory, isRecording: false);
        Fill(rig.Store);
        Assert.Equal(rig.Store.GetStatistics().Count, rig.Durable.Changes.Sum);
        rig.Durable.Save();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
        rig.Store.Set("lost"u8, "1"u8);
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        Assert.False(after.Store.Contains("lost"u8));
    }

    // Of a key that moves from a place that was not written yet to one that was, a snapshot alone has nothing.
    [Fact]
    public void Save_NothingIsRecordedBesideRenames_LosesNoKey()
    {
        const int Keys = 5_000; // Several steps of the walk.
        using var rig = Open(_directory, isRecording: false);
        for (int i = 0; i < Keys; i++)
            rig.Store.Set(Name("old", i), "1"u8);
        int steps = 0;
        rig.Durable.Written = _ =>
        {
            if (steps++ != 0)
                return;
            for (int i = 0; i < Keys; i++)
                rig.Store.Rename(Name("old", i), Name("new", i), SetCondition.Always);
            rig.Durable.Journal.Write();
        };
        rig.Durable.Save();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
        rig.Store.Set("unrecorded"u8, "1"u8);
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        Assert.Equal(Keys, after.Store.Count);
    }

    [Fact]
    public void Save_NothingIsRecorded_CountsEachChangeOnce()
    {
        using var rig = Open(_directory, isRecording: false);
        Fill(rig.Store);
        long before = rig.Durable.Changes.Sum;
        int steps = 0;
        rig.Durable.Written = _ =>
        {
            if (steps++ == 0)
                rig.Store.Set("beside"u8, "1"u8);
        };
        rig.Durable.Save();
        rig.Store.Set("behind"u8, "1"u8);
        Assert.Equal(before + 2, rig.Durable.Changes.Sum);
    }

    // What counts does without the changes that were recorded for the snapshot alone.
    [Fact]
    public void Save_NothingIsRecordedAndChangesCannotBe_RefusesNothing()
    {
        using var rig = Open(_directory, isRecording: false);
        Fill(rig.Store);
        rig.Durable.Save();
        int steps = 0;
        rig.Durable.Written = _ =>
        {
            if (steps++ != 0)
                return;
            rig.Store.Set("beside"u8, "1"u8);
            _directory.Fail(Operation.Write, times: 1);
            rig.Durable.Journal.Write();
            _directory.Heal();
            Assert.Equal(WriteStatus.Done, rig.Store.Set("further"u8, "1"u8));
        };
        Assert.Throws<IOException>(rig.Durable.Save);
        Assert.Equal(JournalState.Writing, rig.Durable.Journal.State);
        Assert.Equal(0, rig.Durable.Journal.SuspensionCount);
        using (var before = Open(_directory.AfterPowerLoss(new Random(1))))
        {
            Assert.True(before.Store.Contains("short"u8));
            Assert.False(before.Store.Contains("beside"u8));
        }

        rig.Durable.Save();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // What was recorded for it is left, and no file that counts.
    [Fact]
    public void Save_NothingIsRecordedAndDiskIsFull_TheSnapshotBeforeCounts()
    {
        using var rig = Open(_directory, isRecording: false);
        Fill(rig.Store);
        rig.Durable.Save();
        rig.Durable.Written = _ =>
        {
            rig.Store.Set("beside"u8, "1"u8);
            throw new IOException("There is no room.");
        };
        Assert.Throws<IOException>(rig.Durable.Save);
        _directory.Fail(Operation.Create);
        rig.Durable.Journal.Write();
        Assert.Equal(JournalState.Suspended, rig.Durable.Journal.State);
        Assert.Equal(ManifestState.Open, ManifestFile.Read(_directory)!.State);
        _directory.Heal();
        Assert.True(rig.Durable.TryHeal());
        using (var before = Open(_directory.AfterPowerLoss(new Random(1))))
        {
            Assert.True(before.Store.Contains("short"u8));
            Assert.False(before.Store.Contains("beside"u8));
        }

        rig.Durable.Written = null;
        rig.Durable.BeginRecording();
        rig.Durable.Save();
        rig.Store.Set("recorded"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    [Fact]
    public void Save_NothingIsRecordedAndCrashesAnywhere_LeavesOneMoment() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int later = 0;
        for (int crash = 0; crash < 100; crash++)
        {
            var directory = new FaultyDirectory();
            using var rig = Open(directory, isRecording: false);
            Fill(rig.Store);
            rig.Durable.Save();
            int steps = 0;
            rig.Durable.Written = _ => // Behind the first keyspace, before the second.
            {
                if (steps++ != 0)
                    return;
                rig.Store.Rename("short"u8, "renamed"u8, SetCondition.Always);
                rig.Store.SelectKeyspace(1).Set("behind"u8, "1"u8);
            };
            directory.CrashAt = directory.Operations + crash;
            TrySave(rig);
            using var after = Open(directory.AfterPowerLoss(random));
            bool isLater = after.Store.Contains("renamed"u8);
            Assert.NotEqual(isLater, after.Store.Contains("short"u8));
            Assert.Equal(isLater, after.Store.SelectKeyspace(1).Contains("behind"u8));
            later += isLater ? 1 : 0;
            if (!directory.HasCrashed)
                break;
        }

        Assert.NotEqual(0, later);
    });

    // Until the first snapshot, what was there before counts alone.
    [Fact]
    public void BeginRecording_CrashesAnywhere_LeavesTheLastSnapshotOrEverything() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int crash = 0; crash < 100; crash++)
        {
            var directory = new FaultyDirectory();
            using var rig = Open(directory, isRecording: false);
            rig.Store.Set("old"u8, "1"u8);
            rig.Durable.Save();
            rig.Store.Set("unrecorded"u8, "1"u8);
            directory.CrashAt = directory.Operations + crash;
            rig.Durable.BeginRecording();
            try
            {
                rig.Store.Append("unrecorded"u8, "2"u8, out _);
                rig.Durable.Journal.Write();
                rig.Durable.Save();
                rig.Store.Set("behind"u8, "1"u8);
            }
            catch (IOException)
            {
            }

            rig.Durable.Journal.Write();
            rig.Durable.Journal.Sync();
            var left = directory.AfterPowerLoss(random);
            if (ManifestFile.Read(left)!.State == ManifestState.Suspended)
                continue;
            using var after = Open(left);
            Assert.True(after.Store.Contains("old"u8));
            byte[]? unrecorded = after.Store.GetArray("unrecorded"u8);
            Assert.True(unrecorded is null || unrecorded.AsSpan().SequenceEqual("12"u8), $"Crash {crash}.");
            Assert.True(unrecorded is not null || !after.Store.Contains("behind"u8));
            if (directory.HasCrashed)
                continue;
            Assert.True(after.Store.Contains("behind"u8));
            return;
        }

        Assert.Fail("It was never done.");
    });

    [Fact]
    public void EndRecording_AndAgain_KeepsWhatWasRecorded()
    {
        using var rig = Open(_directory);
        rig.Store.Set("first"u8, "1"u8);
        rig.Durable.EndRecording();
        rig.Store.Set("unrecorded"u8, "1"u8);
        using (var after = Open(_directory.AfterPowerLoss(new Random(1))))
            Assert.Equal(1, after.Store.Count);
        rig.Durable.BeginRecording();
        rig.Durable.Save();
        rig.Store.Set("second"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ChangeDatabases_IsThereAfterAStart(bool isSaved)
    {
        using (var rig = Open(_directory))
        {
            rig.Durable.ChangeDatabases([1, 0]);
            if (isSaved)
                rig.Durable.Save();
        }

        using var after = Open(_directory);
        Assert.Equal([1, 0], after.Durable.Databases!);
    }

    [Fact]
    public void Open_UsedOnce_IsEmptyAfterACrash()
    {
        using (var rig = Open(_directory))
            Fill(rig.Store);
        using (var rig = Open(_directory, start: new StoreStart { IsUsedOnce = true, IsRecording = false }))
            Assert.NotEqual(0, rig.Store.Count);
        using var after = Open(_directory);
        Assert.Equal(0, after.Store.Count);
    }

    [Theory]
    [InlineData(59, true)]
    [InlineData(61, false)]
    public void Open_AfterADowntime_LoadsWhatIsNotTooOld(int seconds, bool isLoaded)
    {
        using (var rig = Open(_directory))
            rig.Store.Set("a"u8, "1"u8);
        _clock.Advance(seconds * 1_000);
        var start = new StoreStart { MaxAge = TimeSpan.FromMinutes(1) };
        using (var rig = Open(_directory, start: start))
        {
            Assert.Equal(isLoaded, rig.Store.Contains("a"u8));
            Assert.Equal(!isLoaded, rig.Durable.WasTooOld);
            rig.Store.Set("b"u8, "1"u8);
        }

        using var after = Open(_directory, start: start);
        Assert.Equal(isLoaded, after.Store.Contains("a"u8));
        Assert.True(after.Store.Contains("b"u8));
    }

    private StoreRig Open(FaultyDirectory directory, bool isRecording = true, StoreStart? start = null) =>
        new(directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: false,
            start: (start ?? new StoreStart { IsRecording = isRecording }) with { HasThreads = false });

    private static void Fill(CacheStore store)
    {
        store.Set("short"u8, "1"u8);
        store.Set("long"u8, new byte[600_000]);
        store.Set("expiring"u8, "1"u8, new EntryOptions { ExpiresAtMs = store.NowMs + 60_000 });
        store.Set("sliding"u8, "1"u8, new EntryOptions { SlidingMs = 5_000 });
        store.SelectKeyspace(1).Set("short"u8, "2"u8);
        store.SelectKeyspace(1).Set("other"u8, "2"u8);
        for (int i = 0; i < 101; i++)
            store.Set(RandomWrites.NameOf(i), new byte[10 * i]);
    }

    private static byte[] Name(string kind, int number) => Encoding.ASCII.GetBytes($"{kind} {number}");

    private static void TrySave(StoreRig rig)
    {
        try
        {
            rig.Durable.Save();
        }
        catch (IOException)
        {
            // As told.
        }
    }

    private static string[] Names(FaultyDirectory directory) =>
        [.. directory.List().Where(FileNames.IsPlain).Order(StringComparer.Ordinal)];

    private void AssertStarts(CacheStore expected, FaultyDirectory directory)
    {
        using var after = Open(directory);
        StoreRig.AssertSame(expected, after.Store);
        Assert.Equal(expected.Count, after.Store.Count);
    }
}
