using System.Text;
using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Journaling;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>A write that was refused has changed nothing: a start loads what was there before the error.</summary>
public sealed class StoreRefusalTests
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Killed_WhileWritesAreRefused_LosesNoMoreThanACrash(bool isPowerLost)
    {
        using var rig = Open(_directory);
        Fill(rig);
        var before = StoreRig.Create(_clock);
        CopyTo(before, rig.Store);
        rig.Store.Set("staged"u8, "1"u8);
        _directory.Capacity = 0;
        _directory.Fail(Operation.Write);
        rig.Durable.Journal.Write();
        Assert.Equal(ManifestState.Refused, ManifestFile.Read(_directory)!.State);
        Assert.Throws<JournalSuspendedException>(() => rig.Store.Remove("short"u8));
        Assert.False(rig.Durable.TryHeal());

        var left = isPowerLost ? _directory.AfterPowerLoss(new Random(1)) : _directory.AfterKill();
        using (var after = Open(left))
        {
            Assert.True(after.Durable.Report.WasRefused);
            Assert.False(after.Durable.Report.IsEmpty);
            StoreRig.AssertSame(before, after.Store);
            Assert.Equal(ManifestState.Open, ManifestFile.Read(left)!.State);
            Assert.DoesNotContain("jrnl-000001.cj", ManifestFile.Read(left)!.Journals);
        }

        using var again = Open(left);
        Assert.False(again.Durable.Report.WasRefused);
        StoreRig.AssertSame(before, again.Store);
        before.Dispose();
    }

    // Nothing is taken that no start would find, however long the disk needs to rename a file.
    [Fact]
    public void Error_WritesAreRefused_BeforeTheManifestSaysSo()
    {
        using var rig = Open(_directory);
        Fill(rig);
        bool? isRefused = null;
        _directory.Observed = operation =>
        {
            if (operation == Operation.Rename)
                isRefused ??= IsRefused(rig.Store);
        };
        rig.Durable.Journal.Fail(new IOException("full"));
        _directory.Observed = null;
        Assert.True(isRefused);
    }

    [Fact]
    public void EndRecording_WhileWritesAreRefused_NextStartIsEmpty()
    {
        using var rig = Open(_directory);
        Fill(rig);
        rig.Durable.Journal.Fail(new IOException("full"));
        bool? isRefused = null;
        _directory.Observed = operation =>
        {
            if (operation == Operation.Rename)
                isRefused ??= IsRefused(rig.Store);
        };
        rig.Durable.EndRecording();
        _directory.Observed = null;
        Assert.True(isRefused);
        rig.Store.Remove("short"u8);
        Assert.Equal(ManifestState.Suspended, ManifestFile.Read(_directory)!.State);
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        Assert.True(after.Durable.Report.IsEmpty);
        Assert.Equal(0, after.Store.Count);
    }

    [Fact]
    public void EndRecording_CrashesAnywhere_NothingUnrecordedIsMissing() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int crash = 0; crash < 20; crash++)
        {
            var directory = new FaultyDirectory();
            using var rig = Open(directory);
            Fill(rig);
            rig.Durable.Journal.Fail(new IOException("full"));
            directory.CrashAt = directory.Operations + crash;
            rig.Durable.EndRecording();
            using var after = Open(directory.AfterPowerLoss(random));
            if (!directory.HasCrashed) // It goes on.
            {
                Assert.True(after.Durable.Report.IsEmpty);
                return;
            }

            if (!after.Durable.Report.IsEmpty)
                StoreRig.AssertSame(rig.Store, after.Store);
        }

        Assert.Fail("It was never done.");
    });

    // The error comes between the decision that writes go on and the first one of them.
    [Fact]
    public void Error_WhileRecordingEnds_NextStartIsEmpty()
    {
        using var rig = Open(_directory);
        Fill(rig);
        rig.Durable.Journal.BeginEnding();
        rig.Durable.Journal.Fail(new IOException("full"));
        Assert.Equal(ManifestState.Suspended, ManifestFile.Read(_directory)!.State);
    }

    [Fact]
    public void Error_AfterRecordingBeganAgain_WritesAreRefused()
    {
        using var rig = Open(_directory);
        Fill(rig);
        rig.Durable.EndRecording();
        rig.Durable.BeginRecording();
        rig.Durable.Save();
        rig.Durable.Journal.Fail(new IOException("full"));
        Assert.Equal(ManifestState.Refused, ManifestFile.Read(_directory)!.State);
        using var after = Open(_directory.AfterPowerLoss(new Random(1)));
        StoreRig.AssertSame(rig.Store, after.Store);
    }

    // A change that failed may be on the disk: what the manifest there names must stay.
    [Fact]
    public void TryHeal_FailsAnywhereAndIsTriedAgain_EachStartHasEverything() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int failure = 0; failure < 60; failure++)
        {
            for (int round = 0; round < 4; round++)
            {
                var directory = new FaultyDirectory();
                using var rig = Open(directory);
                Fill(rig);
                rig.Durable.Journal.Fail(new IOException("full"));
                directory.FailAt = directory.Operations + failure;
                bool isHealed = rig.Durable.TryHeal();
                bool isOver = directory.Operations <= directory.FailAt;
                AssertStarts(rig.Store, directory.AfterPowerLoss(random));
                if (!isHealed)
                {
                    directory.CrashAt = directory.Operations + random.Next(40);
                    rig.Durable.TryHeal();
                    AssertStarts(rig.Store, directory.AfterPowerLoss(random));
                }

                if (isOver)
                    return;
            }
        }

        Assert.Fail("Nothing was healed at once.");
    });

    // The disk has lost what it could not sync, but for a time it is to be read: no later block may rely on it.
    [Fact]
    public void Open_CrashesAnywhere_WhatLaterStartsFoundStays() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int crash = 0; crash < 80; crash++)
        {
            var directory = new FaultyDirectory();
            using (var rig = Open(directory))
            {
                Fill(rig);
                rig.Store.Set("lost"u8, "1"u8);
                rig.Durable.Journal.Write();
                directory.Fail(Operation.Sync, times: 1);
                rig.Durable.Journal.Sync();
                Assert.Equal(JournalState.Suspended, rig.Durable.Journal.State);
                directory = directory.AfterKill();
            }

            directory.CrashAt = directory.Operations + crash;
            bool isOpen = TryOpen(directory);
            directory = directory.AfterKill();
            using (var rig = Open(directory))
            {
                Assert.True(rig.Store.Contains("lost"u8));
                rig.Store.Set("later"u8, "1"u8);
                rig.Durable.Journal.Write();
                rig.Durable.Journal.Sync();
                AssertStarts(rig.Store, directory.AfterPowerLoss(random));
            }

            if (isOpen)
                return;
        }

        Assert.Fail("No start succeeded.");
    });

    private bool TryOpen(FaultyDirectory directory)
    {
        try
        {
            var rig = Open(directory);
            rig.Durable.Journal.Dispose(); // Killed.
            rig.Store.Dispose();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private StoreRig Open(FaultyDirectory directory) =>
        new(directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: false);

    private void AssertStarts(CacheStore expected, FaultyDirectory directory)
    {
        using var after = Open(directory);
        StoreRig.AssertSame(expected, after.Store);
    }

    private static bool IsRefused(CacheStore store)
    {
        try
        {
            store.Set("taken"u8, "1"u8);
            return false;
        }
        catch (JournalSuspendedException)
        {
            return true;
        }
    }

    private static void Fill(StoreRig rig)
    {
        rig.Store.Set("short"u8, "1"u8);
        rig.Store.Set("long"u8, new byte[300_000]);
        for (int i = 0; i < 20; i++)
            rig.Store.Set(RandomWrites.NameOf(i), new byte[10 * i]);
        rig.Store.Remove(RandomWrites.NameOf(3));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
    }

    private static void CopyTo(CacheStore copy, CacheStore store)
    {
        foreach (string key in store.ScanAll(100))
            copy.Set(Encoding.Latin1.GetBytes(key), store.GetArray(Encoding.Latin1.GetBytes(key))!);
    }
}
