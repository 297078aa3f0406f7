using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;

namespace Cache.Tool.Tests;

public sealed class VerifyVerbTests : IDisposable
{
    private const string Journal = "jrnl-000001.cj";
    private const string Snapshot = "base-000001.snap";

    private readonly TemporaryFolder _folder = new();
    private readonly FakeTimeProvider _time = new();

    private string Store => _folder.Of("store");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Verify_ClosedDirectory_IsWhole()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        var run = ToolRun.Of("verify", Store);
        run.AssertTells("MANIFEST                 closed, store ");
        run.AssertTells("jrnl-000001.cj           16,384 bytes, 3 blocks, 12 records\n");
        run.AssertTells("whole: a start loads 12 records in 3 blocks, the last of 2026-01-01T00:00:00.000Z.");
    }

    [Fact]
    public void Verify_WithASnapshot_CountsBothFiles()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Save();
            store.Set("further"u8, "one"u8);
        });
        var run = ToolRun.Of("verify", Store);
        run.AssertTells("base-000001.snap         ");
        run.AssertTells("2 blocks, 10 records\n");
        run.AssertTells("free, for a later journal");
        run.AssertTells("whole: a start loads 11 records in 3 blocks");
    }

    [Fact]
    public void Verify_KilledProcess_IsWhole()
    {
        StoreFiles.WriteAndKill(Store, _time, StoreFiles.Fill);
        var run = ToolRun.Of("verify", Store);
        run.AssertTells("not closed by its last process");
        run.AssertTells("whole: a start loads 12 records");
    }

    // What it had acknowledged and not written is in shared memory.
    [Fact]
    public void VerifyAndConvert_ProcessWasKilledBeforeItWrote_TakeWhatAStartTakes()
    {
        if (!OperatingSystem.IsLinux())
            return;
        string ring = StoreFiles.WriteAndKillStaged(Store, _time, StoreFiles.Fill, static store =>
        {
            store.Set("staged"u8, "1"u8);
            store.Remove("last"u8);
        });
        try
        {
            ToolRun.Of("verify", Store).AssertTells("whole: a start loads 14 records in 3 blocks");
            ToolRun.Of("verify", Store).AssertTells(", 2 of them from the memory of the process that was killed.");
            string dump = _folder.Of("dump.rdb");
            ToolRun.At(_time, "convert", Store, dump).AssertTells("has 10 entries.");
            Assert.Contains(DumpFile.Read(dump), static entry => entry.Key == "staged");
            Assert.DoesNotContain(DumpFile.Read(dump), static entry => entry.Key == "last");
            using var store = StoreFiles.Create(_time);
            using var durable = StoreFiles.Open(Store, store, StagedRecords.Folder);
            Assert.Equal((14, 10), (durable.LoadedRecords, store.GetStatistics().Count));
        }
        finally
        {
            File.Delete(ring);
        }
    }

    [Fact]
    public void Verify_TornTail_IsWholeAndSaysHowMuchIsCut()
    {
        StoreFiles.WriteAndKill(Store, _time, (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Journal.WriteAll();
            _time.Advance(1_500);
            store.Set("torn"u8, "off"u8);
        });
        long at = File.ReadAllBytes(Path.Combine(Store, Journal)).AsSpan().LastIndexOf("torn"u8);
        Flip(Journal, at);
        var run = ToolRun.Of("verify", Store);
        run.AssertTells("torn tail: jrnl-000001.cj ends at byte 4");
        run.AssertTells("128 bytes of blocks follow that were not whole when the machine stopped, 1.5 s of changes.");
        run.AssertTells("whole: a start cuts the torn tail, and loads 12 records");
    }

    [Fact]
    public void Verify_DamagedBlock_IsNamedWithItsFileAndByte()
    {
        StoreFiles.WriteAndKill(Store, _time, StoreFiles.Fill);
        Flip(Journal, 4096 + 70);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains(
            "damage: jrnl-000001.cj lacks block 1, which was on the disk, at byte 4096.\n", run.Output);
        Assert.Contains(
            "damaged: a start refuses it; with journal-recover skip it loads the rest, 2 records in 2 blocks",
            run.Output);
        Assert.Equal((1, ""), (run.Code, run.Errors));
    }

    [Fact]
    public void Verify_AllDamages_AreTold()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Save();
            store.Set("further"u8, "one"u8);
        });
        string journal = Path.GetFileName(Directory.GetFiles(Store, "jrnl-000002.cj").Single());
        Flip(Snapshot, 4096 + 70);
        Flip(journal, 100);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("damage: base-000001.snap lacks block 1, which was on the disk, at byte 4096.\n", run.Output);
        Assert.Contains("damage: jrnl-000002.cj has a damaged header.\n", run.Output);
        Assert.Contains("damaged: a start refuses it, also with journal-recover skip.", run.Output);
        Assert.Equal(1, run.Code);
    }

    [Fact]
    public void Verify_MissingFiles_AreDamage()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        File.Delete(Path.Combine(Store, Journal));
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("jrnl-000001.cj           missing", run.Output);
        Assert.Contains("damage: jrnl-000001.cj is missing.", run.Output);
        Assert.Equal(1, run.Code);
        File.Delete(Path.Combine(Store, FileNames.Manifest));
        File.WriteAllBytes(Path.Combine(Store, Journal), []);
        ToolRun.Of("verify", Store).AssertFails(1, "MANIFEST is missing beside jrnl-000001.cj");
    }

    [Fact]
    public void Verify_ManifestWithoutItsJournals_IsDamage()
    {
        Directory.CreateDirectory(Store);
        var manifest = new Manifest { StoreId = 7, State = ManifestState.Clean, EndSequence = 5 };
        ManifestFile.Publish(new SystemDirectory(Store), manifest);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("damage: MANIFEST names the last block 5, and 1 is not there.", run.Output);
        Assert.Equal(1, run.Code);
    }

    [Fact]
    public void Verify_SuspendedDirectory_IsIncomplete()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        ManifestFile.Suspend(new SystemDirectory(Store), ManifestState.Suspended);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("incomplete: the last process could not write its last changes", run.Output);
        Assert.Equal(1, run.Code);
    }

    // A start does not read them, and so does not refuse them.
    [Fact]
    public void Verify_SuspendedDirectoryWithDamage_SaysThatAStartLoadsNothing()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        ManifestFile.Suspend(new SystemDirectory(Store), ManifestState.Suspended);
        Flip(Journal, 4096 + 70);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("damage: jrnl-000001.cj lacks block 1", run.Output);
        Assert.Contains(
            "A start loads nothing; with journal-recover force it loads, once, 2 records in 2 blocks", run.Output);
        Assert.Equal(1, run.Code);
        Flip(Journal, 100);
        Assert.Contains("A start loads nothing, and with journal-recover force it refuses it.",
            ToolRun.Of("verify", Store).Output);
        using var store = StoreFiles.Create(_time);
        using var durable = StoreFiles.Open(Store, store);
        Assert.True(durable.Report.IsEmpty);
    }

    [Fact]
    public void Verify_DirectoryInUse_IsRefusedWithTheProcess()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        using (new SystemDirectory(Store).Lock(FileNames.Lock))
        {
            ToolRun.Of("verify", Store).AssertFails(2, $"is used by the process {Environment.ProcessId}.");
            ToolRun.Of("convert", Store, _folder.Of("d.rdb")).AssertFails(2, "is used by the process");
        }

        ToolRun.Of("verify", Store).AssertTells("whole");
    }

    [Fact]
    public void ThrowIfUsedMeanwhile_AfterAStart_Throws()
    {
        StoreFiles.WriteAndKill(Store, _time, StoreFiles.Fill);
        var idle = IdleDirectory.Open(Store);
        idle.ThrowIfUsedMeanwhile();
        using (new SystemDirectory(Store).Lock(FileNames.Lock))
            Assert.Throws<DirectoryLockedException>(idle.ThrowIfUsedMeanwhile);
        StoreFiles.Write(Store, _time, static (_, _) => { });
        var refused = Assert.Throws<ToolException>(idle.ThrowIfUsedMeanwhile);
        Assert.Equal((ExitCode.Failed, $"{Store} was used by another process meanwhile. Try again."),
            (refused.Code, refused.Message));
    }

    [Fact]
    public void Verify_ForeignAndEmptyDirectories_AreNoStores()
    {
        Directory.CreateDirectory(Store);
        ToolRun.Of("verify", Store).AssertFails(2, "has no MANIFEST: it is not the directory of a store.");
        File.WriteAllText(Path.Combine(Store, "appendonly.aof.1.base.rdb"), "REDIS");
        ToolRun.Of("verify", Store).AssertFails(2, "It has files of Redis; let redis-server write a dump.rdb");
        StoreFiles.Write(Path.Combine(Store, "appendonlydir"), _time, StoreFiles.Fill);
        ToolRun.Of("verify", Store).AssertFails(2, $"{Path.Combine(Store, "appendonlydir")} has one.");
        ToolRun.Of("verify", Path.Combine(Store, "appendonly.aof.1.base.rdb")).AssertFails(2, "is a file");
    }

    [Fact]
    public void Verify_OtherFiles_AreNamedHarmlessly()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        File.WriteAllText(Path.Combine(Store, "\u001b[2J"), "");
        File.WriteAllText(Path.Combine(Store, "base-000009.snap.tmp"), "");
        File.WriteAllText(Path.Combine(Store, "jrnl-000009.cj.bad"), "");
        var run = ToolRun.Of("verify", Store);
        run.AssertTells("\\u001b[2J ");
        run.AssertTells("base-000009.snap.tmp     never finished; not read");
        run.AssertTells("jrnl-000009.cj.bad       kept for inspection; not read");
    }

    [Fact]
    public void Verify_AnotherStoresFile_IsDamage()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        StoreFiles.Write(_folder.Of("other"), _time, StoreFiles.Fill);
        File.Copy(Path.Combine(_folder.Of("other"), Journal), Path.Combine(Store, Journal), overwrite: true);
        var run = ToolRun.Of("verify", Store);
        Assert.Contains("damage: jrnl-000001.cj belongs to another directory.", run.Output);
        Assert.Equal(1, run.Code);
    }

    [Fact]
    public void Verify_ChangesNothing()
    {
        StoreFiles.WriteAndKill(Store, _time, StoreFiles.Fill);
        Flip(Journal, 4096 + 70);
        var before = TemporaryFolder.FilesOf(Store);
        ToolRun.Of("verify", Store);
        ToolRun.Of("inspect", Path.Combine(Store, Journal));
        ToolRun.Of("convert", Store, _folder.Of("dump.rdb"));
        var after = TemporaryFolder.FilesOf(Store);
        Assert.Equal(before.Keys.Order(), after.Keys.Order());
        Assert.All(before, file => Assert.Equal(file.Value, after[file.Key]));
        Assert.False(File.Exists(_folder.Of("dump.rdb")));
    }

    [Theory]
    [InlineData(FileNames.Manifest)]
    [InlineData(Snapshot)]
    [InlineData("jrnl-000002.cj")]
    public void Verify_AnyByteOfAClosedDirectoryIsChanged_IsDamage(string name)
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Save();
            store.Set("further"u8, "one"u8);
        });
        string path = Path.Combine(Store, name);
        byte[] bytes = File.ReadAllBytes(path);
        foreach (int at in MeaningfulBytes(path))
        {
            Flip(name, at);
            var run = ToolRun.Of("verify", Store);
            Assert.True(run.Code == 1, $"{name} at {at}: {run}");
            ToolRun.Of("inspect", path);
            Flip(name, at);
        }

        Assert.Equal(bytes, File.ReadAllBytes(path));
        ToolRun.Of("verify", Store).AssertTells("whole");
    }

    [Fact]
    public void Verify_AnyByteOfAKilledProcesssJournalIsChanged_SaysWhatAStartDoes()
    {
        string killed = _folder.Of("killed");
        StoreFiles.WriteAndKill(killed, _time, StoreFiles.Fill);
        byte[] bytes = File.ReadAllBytes(Path.Combine(killed, Journal));
        int used = bytes.AsSpan().LastIndexOfAnyExcept((byte)0) + 1;
        int torn = 0;
        for (int at = 0; at < used; at++)
        {
            if (at % 97 == 0 || at >= 4096)
                torn += CheckVerdict(killed, at);
        }

        Assert.True(torn > 0);
    }

    [Fact]
    public async Task Verify_ServerWasKilled_IsWholeOrTorn()
    {
        if (OperatingSystem.IsWindows())
            return;
        string port = Hosting.Tests.Standalone.FreePort.Find();
        await using var server = Hosting.Tests.Standalone.StandaloneProcess.Start(
            _folder.Path, "--port", port, "--appendonly", "yes", "--appendfsync", "always", "--dir", _folder.Path);
        await server.WaitForAsync("Loaded "); // A slow one tells clients that it loads.
        await using (var client = await server.ConnectAsync())
        {
            for (int i = 0; i < 50; i++)
                await client.ExpectAsync($"SET key:{i} value:{i}", "+OK\r\n");
            ToolRun.Of("verify", _folder.Of("appendonlydir")).AssertFails(2, $"is used by the process {server.Id}.");
            await server.SignalAsync("KILL");
        }

        Assert.NotEqual(0, await server.WaitForExitAsync());
        ToolRun.Of("verify", _folder.Of("appendonlydir")).AssertTells("a start loads 50 records");
        string dump = _folder.Of("dump.rdb");
        ToolRun.Of("convert", _folder.Of("appendonlydir"), dump).AssertTells("has 50 entries.");
        Assert.Equal(
            Enumerable.Range(0, 50).Select(static i => (0, $"key:{i}", $"value:{i}", (long?)null)).Order(),
            DumpFile.Read(dump));
    }

    // All but the zeros behind blocks.
    private static IEnumerable<int> MeaningfulBytes(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        if (!FileHeader.TryRead(bytes, out var header, out _))
            return Enumerable.Range(0, bytes.Length);
        List<int> places = [.. Enumerable.Range(0, FileHeader.Size)];
        for (int at = FileHeader.Size; BlockHeader.TryRead(bytes.AsSpan(at), header.FileId, out var block);)
        {
            places.AddRange(Enumerable.Range(at, BlockHeader.Size + block.StoredBytes));
            at += (int)block.LengthIn(header.Alignment);
        }

        return places;
    }

    // Returns 1 if the end was torn.
    private int CheckVerdict(string from, int at)
    {
        TemporaryFolder.Copy(from, Store);
        Flip(Journal, at);
        var run = ToolRun.Of("verify", Store);
        bool isRefused = false;
        bool isTorn = false;
        try
        {
            using var store = StoreFiles.Create(_time);
            using var durable = StoreFiles.Open(Store, store);
            isTorn = durable.Report.Tail != null;
        }
        catch (IOException)
        {
            isRefused = true;
        }

        Assert.True(run.Code == (isRefused ? 1 : 0), $"At {at} a start refuses: {isRefused}; {run}");
        Assert.Equal(isTorn, run.Output.Contains("torn tail:", StringComparison.Ordinal));
        Directory.Delete(Store, recursive: true);
        return isTorn ? 1 : 0;
    }

    private void Flip(string name, long at)
    {
        using var file = File.OpenHandle(Path.Combine(Store, name), FileMode.Open, FileAccess.ReadWrite);
        byte[] one = new byte[1];
        RandomAccess.Read(file, one, at);
        one[0] ^= 0x55;
        RandomAccess.Write(file, one, at);
    }
}
