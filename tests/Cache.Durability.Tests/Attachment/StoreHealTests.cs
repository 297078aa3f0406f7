using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Whatever happens to files, new ones are made of what the store holds.</summary>
public sealed class StoreHealTests
{
    private const string Journal = "jrnl-000001.cj";
    private const string Snapshot = "base-000001.snap";

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TryHeal_AfterAnError_NewFilesHoldTheStore(bool refusesWrites)
    {
        using var rig = Suspended(_directory, refusesWrites);
        if (!refusesWrites)
            rig.Store.Set("unrecorded"u8, "1"u8);
        Assert.True(rig.Durable.TryHeal());
        rig.Store.Set("later"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        Assert.DoesNotContain(Journal, _directory.List());
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    [Fact]
    public void TryHeal_DiskIsFullStill_IsTriedAgain()
    {
        using var rig = Suspended(_directory, refusesWrites: true);
        _directory.Fail(Operation.Create);
        Assert.False(rig.Durable.TryHeal());
        Assert.Equal(JournalState.Suspended, rig.Durable.Journal.State);
        _directory.Heal();
        Assert.True(rig.Durable.TryHeal());
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // It is in no journal: a snapshot that is made beside it must not have what it clears.
    [Fact]
    public void TryHeal_BesideAClearThatIsNotRecorded_HasNothingOfWhatIsCleared()
    {
        using var rig = Suspended(_directory, refusesWrites: false);
        bool isHealed = false;
        var healing = new Thread(() => isHealed = rig.Durable.TryHeal());
        PausedClear.Run(rig.Store, () =>
        {
            healing.Start();
            healing.Join(TimeSpan.FromMilliseconds(200)); // It waits for this clear.
        });
        healing.Join();
        Assert.True(isHealed);
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        StoreRig.AssertSame(rig.Store, after.Store);
        Assert.Equal(0, after.Store.Count);
        Assert.Equal(1, after.Store.SelectKeyspace(1).Count);
    }

    // The thread that heals is on its own: an exception would end the process.
    [Fact]
    public void TryHeal_StoreIsDisposed_IsSuspendedStill()
    {
        using var rig = Suspended(_directory, refusesWrites: true);
        rig.Store.Dispose();
        Assert.False(rig.Durable.TryHeal());
        Assert.Equal(JournalState.Suspended, rig.Durable.Journal.State);
    }

    // What is written until it is recorded again is in no file.
    [Fact]
    public void TryHeal_NothingIsRecordedAnyMore_IsNotContinuedLater()
    {
        using var rig = Suspended(_directory, refusesWrites: true);
        rig.Durable.EndRecording();
        Assert.True(rig.Durable.TryHeal());
        rig.Store.Set("unrecorded"u8, "1"u8);
        rig.Durable.BeginRecording();
        rig.Store.Set("recorded"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        Assert.True(after.Store.Contains("short"u8));
        Assert.False(after.Store.Contains("recorded"u8));
    }

    // Who sees that it is counted already takes what it did for nothing that must be durable.
    [Fact]
    public void Suspension_IsCounted_WhenNoWriteIsTakenAnyMore()
    {
        using var rig = Open(_directory, new JournalOptions { FileBytes = 2 << 20, RefusesWritesOnError = false });
        rig.Store.Set("a"u8, "1"u8);
        rig.Durable.Journal.Write();
        var counts = new List<long>();
        _directory.Observed = operation =>
        {
            if (operation != Operation.Rename)
                return;
            rig.Store.Set("b"u8, "1"u8);
            counts.Add(rig.Durable.Journal.SuspensionCount);
        };
        _directory.Fail(Operation.Sync, times: 1);
        rig.Durable.Journal.Sync();
        _directory.Observed = null;
        Assert.NotEmpty(counts);
        Assert.All(counts, static count => Assert.Equal(0, count));
        Assert.Equal(1, rig.Durable.Journal.SuspensionCount);
    }

    [Fact]
    public async Task WaitAsync_AfterTheEnd_Throws()
    {
        var rig = Open(_directory);
        rig.Store.Set("a"u8, "1"u8);
        var durable = rig.Durable.WaitAsync();
        rig.Durable.Dispose();
        await durable;
        rig.Store.Set("b"u8, "1"u8);
        var late = rig.Durable.WaitAsync();
        Assert.True(late.IsCompleted);
        await Assert.ThrowsAsync<IOException>(() => late.AsTask());
        rig.Store.Dispose();
    }

    // Until the new files count as a whole, a start knows that something is missing.
    [Fact]
    public void TryHeal_CrashesAnywhere_IsRefusedOrWhole() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int crash = 0; crash < 60; crash++)
        {
            var directory = new FaultyDirectory();
            using var rig = Suspended(directory, refusesWrites: true);
            directory.CrashAt = directory.Operations + crash;
            bool isHealed = rig.Durable.TryHeal();
            var after = directory.AfterPowerLoss(random);
            var state = ManifestFile.Read(after)!.State;
            if (state == ManifestState.Refused)
                Assert.False(isHealed); // What was not synced may be lost.
            else
                AssertStarts(rig.Store, after);
            if (!directory.HasCrashed)
                return;
        }

        Assert.Fail("Nothing was healed.");
    });

    [Fact]
    public void Suspended_Again_KeepsWhatHealed()
    {
        using var rig = Suspended(_directory, refusesWrites: true);
        Assert.True(rig.Durable.TryHeal());
        rig.Store.Set("later"u8, "1"u8);
        rig.Durable.Journal.Write();
        _directory.Fail(Operation.Sync, times: 1);
        rig.Durable.Journal.Sync();
        Assert.True(rig.Durable.TryHeal());
        Assert.DoesNotContain(Snapshot, _directory.List());
        AssertStarts(rig.Store, _directory.AfterPowerLoss(new Random(1)));
    }

    // Else each further start would be refused.
    [Fact]
    public void Skip_DamagedJournal_IsPutAside()
    {
        using (var rig = Open(_directory))
        {
            Fill(rig);
            rig.Durable.Journal.Write();
            rig.Store.Set("damaged"u8, new byte[1_000]);
            rig.Durable.Journal.Write();
            rig.Store.Set("behind"u8, "1"u8);
        }

        byte[] bytes = _directory.ContentOf(Journal).Bytes;
        int place = bytes.AsSpan().IndexOf("damaged"u8);
        _directory.ContentOf(Journal).Damage(place, "D"u8.ToArray());
        Assert.Throws<RecoveryRefusedException>(() => Open(_directory));
        using (var rig = Open(_directory, mode: RecoveryMode.Skip))
        {
            Assert.Single(rig.Durable.Report.Gaps);
            Assert.True(rig.Store.Contains("behind"u8));
            Assert.Contains(Journal + FileNames.BadEnding, _directory.List());
            Assert.DoesNotContain(Journal, _directory.List());
        }

        using var after = Open(_directory);
        Assert.Empty(after.Durable.Report.Gaps);
        Assert.True(after.Store.Contains("behind"u8));
        Assert.True(after.Store.Contains("short"u8));
    }

    // What the record of a long value lacks is not known to lie in the damaged blocks, but it may.
    [Fact]
    public void Skip_FirstPartOfALongValueIsDamaged_TheRestIsRead()
    {
        using (var rig = Open(_directory))
        {
            rig.Store.Set("long"u8, new byte[600_000]);
            rig.Durable.Journal.Write();
            rig.Store.Set("behind"u8, "1"u8);
        }

        _directory.ContentOf(Journal).Damage(FileHeader.Size + 1_000, [1]);
        using var after = Open(_directory, mode: RecoveryMode.Skip);
        Assert.False(after.Store.Contains("long"u8));
        Assert.True(after.Store.Contains("behind"u8));
    }

    [Fact]
    public void Skip_DamagedSnapshot_TheRestIsRead()
    {
        using (var rig = Suspended(_directory, refusesWrites: true))
        {
            Assert.True(rig.Durable.TryHeal());
            rig.Store.Set("behind"u8, "1"u8);
        }

        _directory.ContentOf(Snapshot).Damage(FileHeader.Size + BlockHeader.Size + 1, [0xFF]);
        Assert.Throws<RecoveryRefusedException>(() => Open(_directory));
        using (var rig = Open(_directory, mode: RecoveryMode.Skip))
            Assert.Equal(Snapshot, Assert.Single(rig.Durable.Report.Gaps).File);
        using var after = Open(_directory);
        Assert.True(after.Store.Contains("behind"u8));
        Assert.Contains(Snapshot + FileNames.BadEnding, _directory.List());
    }

    [Fact]
    public void Snapshot_CutAnywhere_IsRefused()
    {
        using (var rig = Suspended(_directory, refusesWrites: true))
            Assert.True(rig.Durable.TryHeal());
        int length = _directory.ContentOf(Snapshot).Bytes.Length;
        for (int cut = FileHeader.Size; cut < length; cut += 40_000)
        {
            var damaged = _directory.AfterKill();
            using (var file = damaged.Open(Snapshot, writable: true))
                file.SetLength(cut);
            Assert.Throws<RecoveryRefusedException>(() => Open(damaged));
        }
    }

    private StoreRig Open(
        FaultyDirectory directory, JournalOptions? options = null, RecoveryMode mode = RecoveryMode.Strict) =>
        new(directory, _clock, options, hasThreads: false, mode: mode);

    private StoreRig Suspended(FaultyDirectory directory, bool refusesWrites)
    {
        var rig = Open(directory, new JournalOptions
        {
            FileBytes = 2 << 20,
            Chunks = 4,
            RefusesWritesOnError = refusesWrites,
        });
        Fill(rig);
        rig.Durable.Journal.Write();
        directory.Fail(Operation.Sync, times: 1);
        rig.Durable.Journal.Sync();
        Assert.Equal(JournalState.Suspended, rig.Durable.Journal.State);
        return rig;
    }

    private static void Fill(StoreRig rig)
    {
        var store = rig.Store;
        store.Set("short"u8, "1"u8);
        store.Set("empty"u8, ""u8);
        store.Set("long"u8, [.. Enumerable.Range(0, 600_000).Select(static i => (byte)(i / 1_000))]);
        store.Set("expiring"u8, "1"u8, new EntryOptions { ExpiresAtMs = store.NowMs + 60_000 });
        store.Set("sliding"u8, "1"u8, new EntryOptions { SlidingMs = 5_000 });
        store.Set("both"u8, "1"u8, new EntryOptions { SlidingMs = 5_000, ExpiresAtMs = store.NowMs + 60_000 });
        store.SelectKeyspace(1).Set("short"u8, "2"u8);
        for (int i = 0; i < 100; i++)
            store.Set(RandomWrites.NameOf(i), new byte[10 * i]);
    }

    private void AssertStarts(CacheStore expected, FaultyDirectory directory)
    {
        using var after = Open(directory);
        StoreRig.AssertSame(expected, after.Store);
        foreach (byte[] key in (byte[][])["sliding"u8.ToArray(), "both"u8.ToArray()])
        {
            Assert.True(expected.TryPeekInfo(key, out var before));
            Assert.True(after.Store.TryPeekInfo(key, out var now));
            Assert.Equal(before.AbsoluteUnixMs, now.AbsoluteUnixMs);
        }
    }
}
