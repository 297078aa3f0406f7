using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Rdb;

namespace Cache.Tool.Tests;

public sealed class ConvertVerbTests : IDisposable
{
    // Of the fake clock.
    private const long StartMs = 1_767_225_600_000;

    private readonly TemporaryFolder _folder = new();
    private readonly FakeTimeProvider _time = new();

    private string Dump => _folder.Of("dump.rdb");

    private string Store => _folder.Of("store");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Convert_DumpToDirectoryAndBack_IsTheSame() => RandomSeed.Run(this, seed =>
    {
        using var folder = new TemporaryFolder();
        var random = new Random(seed);
        var entries = Enumerable.Range(0, 400).Select(i => (
            Database: random.Next(16),
            Key: RandomText(random, random.Next(40)) + i,
            Value: random.Next(50) == 0 ? RandomText(random, 300_000) : ValueOf(random),
            AtMs: random.Next(3) == 0 ? StartMs + 1 + random.NextInt64(1L << 40) : (long?)null)).Order().ToList();
        DumpFile.Write(folder.Of("a.rdb"), entries);
        var there = ToolRun.At(_time, "convert", folder.Of("a.rdb"), folder.Of("store"));
        there.AssertTells("has 400 entries. A server starts from it");
        ToolRun.At(_time, "verify", folder.Of("store")).AssertTells("whole: a start loads 400 records");
        var back = ToolRun.At(_time, "convert", folder.Of("store"), folder.Of("b.rdb"));
        back.AssertTells("has 400 entries.");
        Assert.Equal(entries, DumpFile.Read(folder.Of("b.rdb")));
    });

    [Fact]
    public void Convert_DumpWithFunctions_TakesThemBothWays()
    {
        File.WriteAllBytes(Dump, DumpFile.Recorded("types.rdb"));

        ToolRun.At(_time, "convert", Dump, Store).AssertTells("has ");
        ToolRun.At(_time, "convert", Store, _folder.Of("back.rdb")).AssertTells("has ");

        var first = FunctionsOf(Dump);
        Assert.NotEmpty(first);
        Assert.Equal(first, FunctionsOf(_folder.Of("back.rdb")));
    }

    private static List<string> FunctionsOf(string dump)
    {
        List<string> functions = [];
        using var stream = File.OpenRead(dump);
        var reader = new RdbReader(stream) { FunctionsRead = code => functions.Add(Encoding.UTF8.GetString(code)) };
        while (reader.TryRead(out _))
            Assert.DoesNotContain("library of functions", reader.Skipped.Keys);
        return functions;
    }

    [Fact]
    public void Convert_Dump_StartsAStore()
    {
        DumpFile.Write(Dump, [(0, "a", "1", null), (3, "b", "2", StartMs + 5_000), (0, "", "no key", null)]);
        ToolRun.At(_time, "convert", Dump, Store).AssertTells("has 3 entries.");
        using var store = StoreFiles.Create(_time);
        using var durable = StoreFiles.Open(Store, store);
        Assert.Equal("1"u8.ToArray(), store.GetArray("a"u8));
        Assert.Equal("no key"u8.ToArray(), store.GetArray(""u8));
        Assert.True(store.SelectKeyspace(3).TryPeekInfo("b"u8, out var info));
        Assert.Equal(StartMs + 5_000, info.ExpiresAtUnixMs);
        Assert.Equal(3, store.GetStatistics().Count);
        if (!OperatingSystem.IsWindows())
            Assert.Equal(
                UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute,
                File.GetUnixFileMode(Store));
    }

    [Fact]
    public void Convert_WhatIsNotTaken_IsCountedAndNamed()
    {
        DumpFile.Write(
            Dump,
            [
                (0, "now", "1", StartMs), (0, "soon", "1", StartMs + 1), (0, "long ago", "1", -5),
                (15, "last", "1", null), (16, "behind", "1", null), (99, "behind", "1", null),
                (0, new string('k', 65_535), "1", null), (0, new string('k', 65_536), "1", null),
            ]);
        var run = ToolRun.At(_time, "convert", Dump, Store);
        run.AssertTells("not taken: 2 that have expired.\n");
        run.AssertTells("not taken: 2 of a database behind 15, the last one here.\n");
        run.AssertTells("not taken: 1 with a key of more than 65535 bytes.\n");
        run.AssertTells("has 3 entries.");
    }

    [Fact]
    public void Convert_DumpOfRedisWithAllTypes_TakesAll()
    {
        File.WriteAllBytes(Dump, DumpFile.Recorded("types.rdb"));
        var run = ToolRun.At(_time, "convert", Dump, Store);
        run.AssertTells("RDB version 10, of Redis 7.0.15.\n");
        foreach (string name in new[] { "hash", "list", "set", "zset", "stream" })
            Assert.DoesNotContain($"of type {name}", run.Output, StringComparison.Ordinal);
        ToolRun.At(_time, "verify", Store).AssertTells("whole: ");
    }

    [Fact]
    public void Convert_DumpOfRedis_HasItsStrings()
    {
        File.WriteAllBytes(Dump, DumpFile.Recorded("strings.rdb"));
        ToolRun.At(_time, "convert", Dump, Store).AssertTells("A server starts from it");
        string back = _folder.Of("back.rdb");
        ToolRun.At(_time, "convert", Store, back).AssertTells("entries.");
        Assert.Equal(
            DumpFile.Read(Dump).Where(static entry => entry.AtMs is null or > StartMs), DumpFile.Read(back));
    }

    [Fact]
    public void Convert_DumpWithAnyByteChanged_IsRefusedAndNothingIsWritten()
    {
        byte[] bytes = DumpFile.Recorded("strings.rdb");
        int stride = Math.Max(1, bytes.Length / 3_000);
        for (int at = 0; at < bytes.Length; at += stride)
        {
            bytes[at] ^= 0x55;
            AssertRefused(bytes, $"changed at {at}");
            bytes[at] ^= 0x55;
        }
    }

    [Fact]
    public void Convert_TruncatedDump_IsRefusedAndNothingIsWritten()
    {
        byte[] bytes = DumpFile.Recorded("types.rdb");
        int stride = Math.Max(1, bytes.Length / 1_000);
        for (int length = 0; length < bytes.Length; length += stride)
            AssertRefused(bytes[..length], $"cut to {length}");
    }

    [Theory]
    [InlineData(0x00, 0x81)]
    [InlineData(0x00, 0x80)]
    [InlineData(0x0F, 0x81)]
    [InlineData(0x01, 0x80)]
    [InlineData(0xFA, 0x81)]
    public void Convert_DumpWithHugeLengths_IsRefused(byte type, byte form)
    {
        byte[] huge = [.. "REDIS0010"u8, type, form, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
        AssertRefused(huge, "huge");
    }

    [Theory]
    [InlineData("", "the file is shorter than the header")]
    [InlineData("CACHEDUR and more", "it is no RDB file")]
    [InlineData("REDIS0011", "versions 1 to 10 (Redis 7.0) can be read")]
    public void Convert_OtherFile_SaysWhy(string text, string reason)
    {
        File.WriteAllText(Dump, text);
        ToolRun.Of("convert", Dump, Store).AssertFails(1, reason);
        Assert.False(Directory.Exists(Store));
    }

    [Fact]
    public void Convert_TargetThatIsUsed_IsRefused()
    {
        DumpFile.Write(Dump, [(0, "a", "1", null)]);
        Directory.CreateDirectory(Store);
        File.WriteAllText(Path.Combine(Store, "mine"), "text");
        ToolRun.Of("convert", Dump, Store).AssertFails(2, "is not empty: mine is in it.");
        Assert.Equal(["mine"], TemporaryFolder.FilesOf(Store).Keys);
        ToolRun.Of("convert", Dump, Path.Combine(Store, "mine")).AssertFails(2, "is a file; a directory");
        File.Delete(Path.Combine(Store, "mine"));
        ToolRun.Of("convert", Dump, Store).AssertTells("has 1 entries.");
        ToolRun.Of("convert", Dump, Store).AssertFails(2, "is not empty: ");
        ToolRun.Of("convert", Store, Dump).AssertFails(2, "exists already.");
        ToolRun.Of("convert", Store, _folder.Path).AssertFails(2, "is a directory; the name of a file");
        ToolRun.Of("convert", Store, _folder.Of("no/d.rdb")).AssertFails(2, $"{_folder.Of("no")} does not exist");
        File.WriteAllBytes(Dump, []);
        ToolRun.Of("convert", Store, Dump).AssertTells("has 1 entries.");
        Assert.Single(DumpFile.Read(Dump));
    }

    [Fact]
    public void Convert_DumpThatCannotBeWrittenWhole_LeavesNothing()
    {
        DumpFile.Write(Dump, [(0, "a", "1", null)]);
        Directory.CreateDirectory(Store);
        using (new SystemDirectory(Store).Lock(FileNames.Lock))
            ToolRun.Of("convert", Dump, Store).AssertFails(2, "is used by the process");
        Assert.Equal([FileNames.Lock], TemporaryFolder.FilesOf(Store).Keys);
    }

    [Fact]
    public void Convert_Directory_HasTheStateAfterTheLastRecord()
    {
        StoreFiles.WriteAndKill(Store, _time, (store, durable) =>
        {
            store.Set("removed"u8, "1"u8);
            store.Set("changed"u8, "1"u8);
            durable.EndRecording(); // The files of the journal are too short for it.
            store.Set("long"u8, new byte[300_000]);
            durable.BeginRecording();
            durable.Save();
            store.Remove("removed"u8);
            store.Set("changed"u8, "2"u8);
            store.Append("changed"u8, "3"u8, out _);
            store.Set("expired"u8, "1"u8, new EntryOptions { ExpiresAtUnixMs = StartMs + 10 });
            store.Set("later"u8, "1"u8, new EntryOptions { ExpiresAtUnixMs = StartMs + 10 });
            store.ExpireAtUnixMs("later"u8, StartMs + 9_000, ExpireConditions.None);
            store.Set("sliding"u8, "1"u8, new EntryOptions { SlidingMs = 5_000 });
        });
        _time.Advance(100);
        var run = ToolRun.At(_time, "convert", Store, Dump);
        run.AssertTells("not taken: 1 that have expired.\n");
        run.AssertTells("1 entries expire some time after their last use, which Redis does not know");
        run.AssertTells("has 4 entries.");
        Assert.Equal(
            [
                (0, "changed", "23", null), (0, "later", "1", StartMs + 9_000),
                (0, "long", new string('\0', 300_000), null), (0, "sliding", "1", StartMs + 5_100),
            ],
            DumpFile.Read(Dump));
    }

    // Redis 7.0.15 loads such a dump with both fields.
    [Fact]
    public void Dump_OfFieldsThatExpire_CountsThemAndLeavesOutTheExpired()
    {
        StoreFiles.WriteAndKill(Store, _time, (store, _) =>
        {
            store.Hash("h"u8).Set("kept"u8, "1"u8);
            store.Hash("h"u8).Set("expires"u8, "2"u8);
            store.Hash("h"u8).Set("expired"u8, "3"u8);
            store.Hash("h"u8).Expire("expires"u8, StartMs + 9_000);
            store.Hash("h"u8).Expire("expired"u8, StartMs + 10);
            store.Hash("gone"u8).Set("expired"u8, "3"u8);
            store.Hash("gone"u8).Expire("expired"u8, StartMs + 10);
        });
        _time.Advance(50);
        var run = ToolRun.At(_time, "convert", Store, Dump);
        run.AssertTells("not taken: 1 that have expired.\n");
        run.AssertTells("fields of hashes expire on their own, which Redis 7.0 does not know");
        run.AssertTells("has 1 entries.");
    }

    [Fact]
    public void Convert_DirectoryWithAHash_HasItInTheFormOfRedis()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            store.Hash("h"u8).Set("field"u8, "value"u8);
            store.Hash("h"u8).Set("n"u8, "7"u8);
            store.Set("s"u8, "string"u8);
            durable.Save();
        });

        ToolRun.At(_time, "convert", Store, Dump).AssertTells("has 2 entries.");

        byte[] hash = [4, 1, (byte)'h', 2, 5, .. "field"u8, 5, .. "value"u8, 1, (byte)'n', 0xC0, 7];
        Assert.NotEqual(-1, File.ReadAllBytes(Dump).AsSpan().IndexOf(hash));
        ToolRun.At(_time, "convert", Dump, _folder.Of("back")).AssertTells("has 2 entries.");
        ToolRun.At(_time, "convert", _folder.Of("back"), _folder.Of("again.rdb")).AssertTells("has 2 entries.");
        Assert.NotEqual(-1, File.ReadAllBytes(_folder.Of("again.rdb")).AsSpan().IndexOf(hash));
    }

    [Fact]
    public void Convert_DirectoryWithAList_HasItInTheFormOfRedis()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            store.List("l"u8).Push(ListEnd.Right, "a"u8);
            store.List("l"u8).Push(ListEnd.Right, "-7"u8);
            store.List("l"u8).Push(ListEnd.Right, ""u8);
            durable.Save();
        });

        ToolRun.At(_time, "convert", Store, Dump).AssertTells("has 1 entries.");

        byte[] list = [1, 1, (byte)'l', 3, 1, (byte)'a', 0xC0, 0xF9, 0];
        Assert.NotEqual(-1, File.ReadAllBytes(Dump).AsSpan().IndexOf(list));
        ToolRun.At(_time, "convert", Dump, _folder.Of("back")).AssertTells("has 1 entries.");
        ToolRun.At(_time, "convert", _folder.Of("back"), _folder.Of("again.rdb")).AssertTells("has 1 entries.");
        Assert.NotEqual(-1, File.ReadAllBytes(_folder.Of("again.rdb")).AsSpan().IndexOf(list));
    }

    // A field that is there twice; one byte of a length would make it so.
    [Fact]
    public void Convert_CollectionsThatCannotBe_AreRefusedOrCounted()
    {
        byte[] longest = new byte[5_000]; // As the name of a field.
        DumpFile.WriteRaw(Dump, [
            [4, 1, (byte)'h', 1, 0x53, 0x88, .. longest, 1, (byte)'v'],
            [1, 1, (byte)'e', 0],
            [1, 1, (byte)'s', 2, 1, (byte)'a', 1, (byte)'b'],
        ]);
        var run = ToolRun.At(_time, "convert", Dump, Store);
        run.AssertTells("not taken: 1 of type list with no elements, more than 67,108,864 strings");
        run.AssertTells("or a group or consumer of a name that is longer than a store takes.\n");
        run.AssertTells("has 2 entries.");

        DumpFile.WriteRaw(Dump, [[4, 1, (byte)'h', 2, 1, (byte)'f', 1, (byte)'a', 1, (byte)'f', 1, (byte)'b']]);
        Assert.Contains(
            "a hash has the same name twice.", ToolRun.At(_time, "convert", Dump, _folder.Of("other")).Errors,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Convert_LargeCollectionsBackAndForth_KeepsEachElement()
    {
        const int Count = 400;
        byte[] longest = new byte[5_000];
        longest[0] = 1;
        StoreFiles.Write(Store, _time, (store, durable) =>
        {
            for (int i = 0; i < Count; i++)
            {
                byte[] name = Encoding.ASCII.GetBytes($"an element of many: {i}");
                store.Hash("h"u8).Set(name, [.. name, .. name]);
                store.SetOf("s"u8).Add(name);
                store.SortedSet("z"u8).Add(name, i % 2 == 0 ? -i : i + 0.5);
                store.List("l"u8).Push(ListEnd.Right, name);
                durable.Journal.Write(); // No thread does here, and its files are short.
            }

            store.Hash("h"u8).Set("long"u8, longest);
            store.List("l"u8).Push(ListEnd.Left, longest);
            durable.Save();
        });
        string back = _folder.Of("back");
        ToolRun.At(_time, "convert", Store, Dump).AssertTells("has 4 entries.");
        ToolRun.At(_time, "convert", Dump, back).AssertTells("has 4 entries.");
        ToolRun.At(_time, "verify", back).AssertTells("whole: ");

        StoreFiles.Write(back, _time, (store, durable) =>
        {
            Assert.Equal((Count + 1, Count), (store.Hash("h"u8).Count, store.SetOf("s"u8).Count));
            Assert.Equal((Count, Count + 1), (store.SortedSet("z"u8).Count, store.List("l"u8).Count));
            for (int i = 0; i < Count; i++)
            {
                byte[] name = Encoding.ASCII.GetBytes($"an element of many: {i}");
                Assert.Equal((byte[])[.. name, .. name], store.Hash("h"u8).GetArray(name)!);
                Assert.True(store.SetOf("s"u8).Contains(name));
                Assert.True(store.SortedSet("z"u8).TryGetScore(name, out double score));
                Assert.Equal(i % 2 == 0 ? -i : i + 0.5, score);
                Assert.Equal(name, store.List("l"u8).GetArray(i + 1));
            }

            Assert.Equal(longest, store.Hash("h"u8).GetArray("long"u8));
            Assert.Equal(longest, store.List("l"u8).GetArray(0));
            store.List("l"u8).Push(ListEnd.Right, "behind"u8); // What was loaded is written to.
            durable.Save();
        });
    }

    [Fact]
    public void Convert_LargeHashWithAFieldTwice_IsRefused()
    {
        byte[] fields = [.. Enumerable.Range(0, 2_001).SelectMany(static i =>
            new byte[] { 2, (byte)(i % 2_000), (byte)(i % 2_000 >> 8), 1, (byte)'v' })];
        DumpFile.WriteRaw(Dump, [[4, 1, (byte)'h', 0x47, 0xD1, .. fields]]);

        var run = ToolRun.At(_time, "convert", Dump, Store);

        Assert.Contains("a hash has the same name twice.", run.Errors, StringComparison.Ordinal);
    }

    // Redis 7.0.15 loads such a dump with all members.
    [Fact]
    public void Convert_DirectoryWithSetsOfBothKinds_HasThemInTheFormOfRedis()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            store.SetOf("s"u8).Add("member"u8);
            store.SetOf("s"u8).Add("7"u8);
            store.SortedSet("z"u8).Add("high"u8, 2.5);
            store.SortedSet("z"u8).Add("low"u8, double.NegativeInfinity);
            durable.Save();
        });

        ToolRun.At(_time, "convert", Store, Dump).AssertTells("has 2 entries.");

        byte[] set = [2, 1, (byte)'s', 2, 6, .. "member"u8, 0xC0, 7];
        byte[] sorted =
        [
            5, 1, (byte)'z', 2, 3, .. "low"u8, .. BitConverter.GetBytes(double.NegativeInfinity),
            4, .. "high"u8, .. BitConverter.GetBytes(2.5),
        ];
        Assert.NotEqual(-1, File.ReadAllBytes(Dump).AsSpan().IndexOf(set));
        Assert.NotEqual(-1, File.ReadAllBytes(Dump).AsSpan().IndexOf(sorted));
    }

    [Fact]
    public void Convert_SwappedDatabases_HaveTheNumbersThatClientsSee()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            store.Set("a"u8, "of keyspace 0"u8);
            store.SelectKeyspace(5).Set("b"u8, "of keyspace 5"u8);
            byte[] databases = [.. Enumerable.Range(0, 16).Select(static i => (byte)i)];
            (databases[0], databases[5]) = (5, 0);
            durable.ChangeDatabases(databases);
        });
        ToolRun.At(_time, "convert", Store, Dump).AssertTells("has 2 entries.");
        Assert.Equal(
            [(0, "b", "of keyspace 5", null), (5, "a", "of keyspace 0", null)], DumpFile.Read(Dump));
    }

    [Fact]
    public void Convert_DirectoryBeyondTheLimit_NamesTheOption()
    {
        StoreFiles.Write(Store, _time, static (store, durable) =>
        {
            durable.EndRecording(); // Nothing writes what would be recorded.
            for (int i = 0; i < 400; i++)
                store.Set(StoreFiles.KeyOf(i), new byte[10_000]);
            durable.Save();
        });
        var run = ToolRun.At(_time, "convert", Store, Dump, "--maxmemory", "2mb");
        run.AssertFails(2, "The entries need more than the limit of 2mb. Give more: --maxmemory SIZE.");
        Assert.False(File.Exists(Dump));
        ToolRun.At(_time, "convert", Store, Dump, "--maxmemory=64mb").AssertTells("has 400 entries.");
        ToolRun.Of("convert", Store, _folder.Of("x"), "--maxmemory", "1kb").AssertFails(2, "--maxmemory 1kb: a size");
        ToolRun.Of("convert", Dump, _folder.Of("x"), "--maxmemory", "9mb").AssertFails(2, "is for a directory");
    }

    [Fact]
    public void Convert_DamagedOrIncompleteDirectory_IsRefused()
    {
        StoreFiles.Write(Store, _time, StoreFiles.Fill);
        string other = _folder.Of("other");
        TemporaryFolder.Copy(Store, other);
        ManifestFile.Suspend(new SystemDirectory(other), ManifestState.Suspended);
        ToolRun.Of("convert", other, Dump).AssertFails(1, "is incomplete: ");
        byte[] bytes = File.ReadAllBytes(Path.Combine(Store, "jrnl-000001.cj"));
        bytes[4200] ^= 1;
        File.WriteAllBytes(Path.Combine(Store, "jrnl-000001.cj"), bytes);
        ToolRun.Of("convert", Store, Dump).AssertFails(1, "is damaged: jrnl-000001.cj lacks block 1");
        Assert.False(File.Exists(Dump));
    }

    [Fact]
    public void Convert_TornTail_IsToldAndTheRestIsTaken()
    {
        StoreFiles.WriteAndKill(Store, _time, static (store, durable) =>
        {
            StoreFiles.Fill(store, durable);
            durable.Journal.WriteAll();
            store.Set("torn"u8, "off"u8);
        });
        byte[] bytes = File.ReadAllBytes(Path.Combine(Store, "jrnl-000001.cj"));
        bytes[bytes.AsSpan().LastIndexOf("torn"u8)] ^= 1;
        File.WriteAllBytes(Path.Combine(Store, "jrnl-000001.cj"), bytes);
        var run = ToolRun.At(_time, "convert", Store, Dump);
        run.AssertTells("not taken: 128 bytes behind byte 4");
        run.AssertTells("has 10 entries.");
    }

    private void AssertRefused(byte[] dump, string what)
    {
        File.WriteAllBytes(Dump, dump);
        var run = ToolRun.At(_time, "convert", Dump, Store);
        Assert.True(run.Code == 1, $"{what}: {run}");
        Assert.False(Directory.Exists(Store), what);
    }

    private static string RandomText(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return Encoding.Latin1.GetString(bytes);
    }

    private static string ValueOf(Random random) => random.Next(4) switch
    {
        0 => $"{random.Next(-200, 200)}",
        1 => $"{random.Next(int.MinValue, int.MaxValue)}",
        2 => $"{random.NextInt64()}",
        _ => RandomText(random, random.Next(2_000)),
    };
}
