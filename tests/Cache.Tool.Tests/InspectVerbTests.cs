using Cache.Core;

namespace Cache.Tool.Tests;

public sealed class InspectVerbTests : IDisposable
{
    private const string Journal = "jrnl-000001.cj";
    private const string Snapshot = "base-000001.snap";

    private readonly TemporaryFolder _folder = new();
    private readonly FakeTimeProvider _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Inspect_Journal_ShowsHeaderAndCounts()
    {
        StoreFiles.Write(_folder.Path, _time, StoreFiles.Fill);
        var run = ToolRun.Of("inspect", _folder.Of(Journal));
        run.AssertTells("  version 1.1, blocks aligned to 64 bytes\n");
        run.AssertTells("  made 2026-01-01T00:00:00.000Z, 16,384 bytes\n");
        run.AssertTells("  3 blocks, 11 set, 1 remove\n");
        run.AssertTells("  blocks 1 to 3, LSN ");
        run.AssertTells("  keys \"key:0\" to \"last\"\n");
        run.AssertTells("bytes behind the last block: unused");
    }

    [Fact]
    public void Inspect_Snapshot_ShowsItsEnd()
    {
        StoreFiles.Write(_folder.Path, _time, static (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Save();
        });
        var run = ToolRun.Of("inspect", "--blocks", _folder.Of(Snapshot));
        run.AssertTells("block 1 at byte 4096: snapshot, ");
        run.AssertTells(", 10 records, 2026-01-01T00:00:00.000Z, LSN ");
        run.AssertTells(": end, 0 bytes, 0 records, ");
        run.AssertTells("  2 blocks, 10 set\n");

        byte[] bytes = File.ReadAllBytes(_folder.Of(Snapshot));
        File.WriteAllBytes(_folder.Of(Snapshot), bytes[..^64]);
        var cut = ToolRun.Of("inspect", _folder.Of(Snapshot));
        Assert.Contains("damage: the last block of the snapshot is missing.", cut.Output);
        Assert.Equal(1, cut.Code);
        File.WriteAllBytes(_folder.Of(Snapshot), bytes[..4096]);
        Assert.Equal(1, ToolRun.Of("inspect", _folder.Of(Snapshot)).Code);
    }

    [Fact]
    public void Inspect_Key_ShowsWhatBecameOfIt()
    {
        StoreFiles.Write(_folder.Path, _time, static (store, durable) =>
        {
            byte[] key = [0, 0xFF, (byte)'k'];
            store.Set(key, "first\u001b"u8, new EntryOptions { ExpiresAtUnixMs = 1_767_225_600_000 + 5_000 });
            store.Set("other"u8, "x"u8);
            store.Append(key, "ed"u8, out _);
            store.Persist(key);
            store.Remove(key);
            store.Clear();
            store.SelectKeyspace(3).Set(key, new byte[300], new EntryOptions { SlidingMs = 60_000 });
        });
        var run = ToolRun.Of("inspect", _folder.Of(Journal), "--key", "\\x00\\xffk");
        string[] lines = [.. run.Output.Split('\n').Where(static line => line.StartsWith("block ", default))];
        Assert.Equal(6, lines.Length);
        Assert.EndsWith(
            "set in keyspace 0, 6 bytes: \"first\\x1b\", expires at 2026-01-01T00:00:05.000Z", lines[0]);
        Assert.Contains(" in keyspace 0, ", lines[1]);
        Assert.EndsWith("expire in keyspace 0, expires no more", lines[2]);
        Assert.EndsWith("remove in keyspace 0", lines[3]);
        Assert.EndsWith("clear in keyspace 0", lines[4]);
        Assert.EndsWith("\"..., expires 60000 ms after its last use", lines[5]);
        Assert.DoesNotContain('\u001b', run.Output);
        Assert.Equal(0, run.Code);
    }

    [Fact]
    public void Inspect_Limit_CutsLinesAndSaysHowMany()
    {
        StoreFiles.Write(_folder.Path, _time, static (store, _) =>
        {
            for (int i = 0; i < 20; i++)
                store.Set("key"u8, new byte[] { (byte)i });
        });
        var run = ToolRun.Of("inspect", _folder.Of(Journal), "--key=key", "--limit", "5");
        Assert.Equal(5, run.Output.Split('\n').Count(static line => line.StartsWith("block ", default)));
        run.AssertTells("15 more lines; --limit shows more.\n");
        run.AssertTells("  1 blocks, 20 set\n");
    }

    [Fact]
    public void Inspect_Groups_ShowTheirRecords()
    {
        StoreFiles.Write(_folder.Path, _time, static (store, _) =>
        {
            var entries = new EntryArray(("a"u8.ToArray(), "1"u8.ToArray()), ("b"u8.ToArray(), "2"u8.ToArray()));
            store.SetMany(ref entries, SetCondition.Always);
        });
        var run = ToolRun.Of("inspect", _folder.Of(Journal), "--key", "b");
        run.AssertTells("set in keyspace 0, 1 bytes: \"2\"\n");
        run.AssertTells("  1 blocks, 2 set\n");
    }

    [Fact]
    public void Inspect_LongValues_AreWhole()
    {
        StoreFiles.Write(_folder.Path, _time, static (store, durable) =>
        {
            durable.EndRecording();
            store.Set("long"u8, new byte[700_000]);
            durable.Save();
        });
        var run = ToolRun.Of("inspect", _folder.Of(Snapshot), "--key", "long");
        run.AssertTells("set in keyspace 0, 700000 bytes: ");
        run.AssertTells(" blocks, 1 set\n");
    }

    [Fact]
    public void Inspect_DamagedBlock_IsNamedAndTheRestIsRead()
    {
        StoreFiles.Write(_folder.Path, _time, StoreFiles.Fill);
        byte[] bytes = File.ReadAllBytes(_folder.Of(Journal));
        bytes[4096 + 70] ^= 1;
        File.WriteAllBytes(_folder.Of(Journal), bytes);
        var run = ToolRun.Of("inspect", _folder.Of(Journal));
        Assert.Contains("damage: no whole block is at byte 4096; block 2 follows at ", run.Output);
        Assert.Single(run.Output.Split('\n'), static line => line.StartsWith("damage: ", default));
        Assert.Contains("  2 blocks, 1 set, 1 remove\n", run.Output);
        Assert.Equal(1, run.Code);
    }

    // Read as a file, it would be waited for.
    [Fact]
    public void Inspect_Pipe_IsRefused()
    {
        if (!OperatingSystem.IsLinux())
            return;
        string pipe = _folder.Of("pipe");
        using (var making = System.Diagnostics.Process.Start("mkfifo", pipe))
            making.WaitForExit();
        ToolRun.Of("inspect", pipe).AssertFails(2, "is a pipe or a device; inspect needs a file.");
    }

    [Fact]
    public void Inspect_OtherFiles_AreRefused()
    {
        string dump = _folder.Of("dump.rdb");
        File.WriteAllBytes(dump, DumpFile.Recorded("strings.rdb"));
        ToolRun.Of("inspect", dump).AssertFails(1, "dump.rdb is no file of this cache.");
        File.WriteAllBytes(dump, []);
        ToolRun.Of("inspect", dump).AssertFails(1, "dump.rdb is no file of this cache.");
        ToolRun.Of("inspect", _folder.Path).AssertFails(2, "is a directory");
    }
}
