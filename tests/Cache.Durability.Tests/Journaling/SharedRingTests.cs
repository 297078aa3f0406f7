using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Journaling;

/// <summary>Staged records lie in memory that outlives the process: a kill loses none of them.</summary>
public sealed partial class SharedRingTests : IDisposable
{
    private const int Staged = 100;

    // Numbers so far apart have records of the same length.
    private const int Repeated = 300;

    private readonly FaultyDirectory _directory = new();
    private readonly TemporaryFolder _folder = new();
    private readonly List<JournalRig> _rigs = [];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Open_AfterKill_FindsWhatWasStaged()
    {
        var rig = Open(_directory);
        Record(rig, 0, 50);
        rig.Journal.Write();
        Record(rig, 50, 150);
        var after = _directory.AfterKill();
        var next = Open(after);
        Assert.Equal(Enumerable.Range(0, 150), next.Found);
        Assert.NotEqual(0, next.Report.RescuedBytes);
        Assert.Null(next.Report.RingProblem);
        Assert.Equal(Enumerable.Range(0, 150), WithoutRing(after.AfterPowerLoss(new Random(1))).Found);
    }

    // Without the ring it would be lost: else the tests above would prove nothing.
    [Fact]
    public void Open_WithoutTheRing_LosesWhatWasStaged()
    {
        var rig = WithoutRing(_directory);
        Record(rig, 0, 50);
        rig.Journal.Write();
        Record(rig, 50, 150);
        Assert.Equal(Enumerable.Range(0, 50), WithoutRing(_directory.AfterKill()).Found);
    }

    [Fact]
    public void Open_AfterKillAgainAndAgain_FindsEverything() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        int count = 0;
        for (int start = 0; start < 20; start++)
        {
            var rig = Open(directory);
            Assert.Equal(Enumerable.Range(0, count), rig.Found);
            for (int i = random.Next(6); i > 0; i--)
            {
                int more = random.Next(3_000); // Several chunks now and then.
                Record(rig, count, count + more);
                count += more;
                if (random.Next(3) != 0)
                    rig.Journal.Write();
                if (random.Next(3) == 0)
                    rig.Journal.Sync();
            }

            directory = directory.AfterKill();
        }
    });

    // What the start has found stays, whenever it ends.
    [Fact]
    public void Open_CrashesAnywhere_TheNextStartFindsEverything() => CheckCrashesOfTheStart(6_000, static rig =>
    {
        Record(rig, 0, 3_000);
        rig.Journal.Write();
        Record(rig, 3_000, 6_000);
    });

    // The first start writes what precedes the long group; the next one must not go on behind it.
    [Fact]
    public void Open_CrashesAnywhereBehindWhatIsNotWhole_TheNextStartFindsTheSamePrefix() =>
        CheckCrashesOfTheStart(20, static rig =>
        {
            Record(rig, 0, 10);
            rig.Journal.WriteAll();
            Record(rig, 10, 20);
            RecordLongGroup(rig);
            rig.Journal.Staging.Seal();
            Record(rig, 30, 40);
        });

    // The first start may write the chunk alone, without its end, which has no record; the next one must go on there.
    [Fact]
    public void Open_WriteOfWhatWasFoundEndsAnywhere_TheNextStartFindsEverything()
    {
        for (int written = 0; written < 4 * FileHeader.DirectAlignment; written += FileHeader.BufferedAlignment)
        {
            var directory = new FaultyDirectory();
            var rig = Open(directory);
            Record(rig, 0, 10);
            rig.Journal.WriteAll();
            Record(rig, 10, 20);
            Assert.True(rig.Journal.Staging.TryReserve(10 * RecordLayout.Alignment, out _));
            rig.Journal.Staging.Seal();
            Record(rig, 20, 40);
            var killed = directory.AfterKill();
            killed.Fail(Operation.Write, written: written);
            TryOpen(killed);
            Assert.Equal(Enumerable.Range(0, 40), Open(killed.AfterKill()).Found);
        }
    }

    // A process is killed, and so is the next start, at each of its operations in turn; the one after finds it all.
    private void CheckCrashesOfTheStart(int found, Action<JournalRig> record)
    {
        for (int crash = 0; crash < 100; crash++)
        {
            var directory = new FaultyDirectory();
            record(Open(directory));
            var killed = directory.AfterKill();
            killed.CrashAt = killed.Operations + crash;
            bool isOpen = TryOpen(killed);
            Assert.Equal(Enumerable.Range(0, found), Open(killed.AfterKill()).Found);
            if (isOpen)
                return;
        }

        Assert.Fail("No start succeeded.");
    }

    // Its head, and for each slot its chunk, its marks and its own head.
    [Fact]
    public void Open_AnyByteOfTheRingIsFlipped_FindsAPrefix() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var (killed, ring, path) = Killed();
        int prefixes = 0;
        foreach (int place in Places(ring, random))
        {
            byte[] flipped = (byte[])ring.Clone();
            flipped[place] ^= (byte)(1 << random.Next(8));
            File.WriteAllBytes(path, flipped);
            var found = Open(killed()).Found;
            Assert.Equal(Enumerable.Range(0, found.Count), found);
            Assert.InRange(found.Count, Staged, 8 * Staged);
            prefixes += found.Count < 8 * Staged ? 1 : 0;
        }

        Assert.NotEqual(0, prefixes);
    });

    [Fact]
    public void Open_RingIsGarbageOrCut_FindsAPrefix() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var (killed, ring, path) = Killed();
        for (int round = 0; round < 100; round++)
        {
            byte[] bytes = (byte[])ring.Clone();
            int start = SharedRing.HeadSize + random.Next(3) * SharedRing.SlotSize
                + random.Next(2) * SharedRing.MarksOffset + random.Next(5_000);
            if (round % 3 == 0)
                bytes = bytes[..random.Next(bytes.Length)];
            else if (round % 3 == 1)
                random.NextBytes(bytes.AsSpan(start, random.Next(5_000)));
            else
                ring.AsSpan(SharedRing.HeadSize, 8 * random.Next(1_000)).CopyTo(bytes.AsSpan(start));
            File.WriteAllBytes(path, bytes);
            var found = Open(killed()).Found;
            Assert.Equal(Enumerable.Range(0, found.Count), found);
        }
    });

    // It was reserved and not filled; what lies there is a record of an earlier use. Others had written behind it.
    [Fact]
    public void Open_PlaceThatWasNotFilled_IsPassedOver()
    {
        var rig = Open(_directory);
        List<int> expected = [];
        for (int from = 3_000; from < 3_000 + 6 * Repeated; from += Repeated) // Each chunk is used again.
        {
            Record(rig, from, from + 100);
            rig.Journal.Write();
            expected.AddRange(Enumerable.Range(from, 100));
        }

        const int Last = 3_000 + 6 * Repeated;
        Record(rig, Last, Last + 10);
        Assert.True(rig.Journal.Staging.TryReserve(LengthOf(Last + 10), out _));
        Record(rig, Last + 11, Last + 50);
        expected.AddRange(Enumerable.Range(Last, 10));
        expected.AddRange(Enumerable.Range(Last + 11, 39));
        var after = _directory.AfterKill();
        Assert.Equal(expected, Open(after).Found);
        Assert.Equal(expected, WithoutRing(after.AfterPowerLoss(new Random(1))).Found);
    }

    // The parts of a long value come before the chunk with its record: they do not stand for the chunk.
    [Fact]
    public void Open_KilledBetweenPartsAndTheirChunk_FindsTheRest()
    {
        for (int crash = 0; crash < 20; crash++)
        {
            var directory = new FaultyDirectory();
            var rig = Open(directory, fileBytes: 4 << 20);
            Record(rig, 0, 5);
            rig.Journal.Write();
            Record(rig, 5, 10);
            RecordLong(rig);
            rig.Journal.Staging.Seal();
            Record(rig, 20, 30);
            string path = Directory.GetFiles(_folder.Path).Single();
            byte[] ring = File.ReadAllBytes(path);
            directory.CrashAt = directory.Operations + crash;
            rig.Journal.Write();
            File.WriteAllBytes(path, ring);
            var next = Open(directory.AfterKill(), fileBytes: 4 << 20);
            int seven = next.Found[10]; // Its parts alone are not the value: it is removed.
            Assert.Contains(seven, directory.HasCrashed ? [7, -7] : new[] { 7 });
            Assert.Equal([.. Enumerable.Range(0, 10), seven, .. Enumerable.Range(20, 10)], next.Found);
            next.Journal.Close();
            if (!directory.HasCrashed)
                return;
        }

        Assert.Fail("It was never written.");
    }

    // It was in the memory of the killed process. What its key had before is not what it has now.
    [Fact]
    public void Open_LongValue_RemovesItsKey()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        RecordLong(rig);
        Record(rig, 11, 20);
        var after = _directory.AfterKill();
        int[] expected = [.. Enumerable.Range(0, 10), -7, .. Enumerable.Range(11, 9)];
        Assert.Equal(expected, Open(after).Found);
        Assert.Equal(expected, WithoutRing(after.AfterPowerLoss(new Random(1))).Found);
    }

    [Fact]
    public void Open_GroupWithALongValue_RemovesOnlyThatKey()
    {
        var rig = Open(_directory);
        int head = RecordLayout.GroupHeadSize;
        int plain = LengthOf(5);
        var fields = new RecordFields
        {
            Kind = RecordKind.Set,
            Flags = RecordFlags.Parted | RecordFlags.Expiring | RecordFlags.Sliding,
        };
        int parted = RecordLayout.SizeOf(fields.Kind, fields.Flags, 1, 1_000_000);
        Assert.True(rig.Journal.Staging.TryReserve(head + parted + plain, out var place));
        RecordLayout.WriteGroupHead(place.Bytes, place.Lsn);
        RecordLayout.Write(place.Bytes.Slice(head, parted), fields, "7"u8, default, 1_000_000);
        var set = new RecordFields { Kind = RecordKind.Set };
        RecordLayout.Write(place.Bytes[(head + parted)..], set, "5"u8, new byte[] { 5, 5, 5, 5, 5 }, 5);
        place.Fill();
        Record(rig, 10, 20);
        Assert.Equal([-7, 5, .. Enumerable.Range(10, 10)], Open(_directory.AfterKill()).Found);
    }

    // Its value is in a file, under the key that goes: without the new one it would be nowhere.
    [Fact]
    public void Open_GroupThatMovesALongValue_EndsTheRecords()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        var set = new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Parted };
        var remove = new RecordFields { Kind = RecordKind.Remove };
        int head = RecordLayout.GroupHeadSize;
        int parted = RecordLayout.SizeOf(set.Kind, set.Flags, 1, 1_000_000);
        int removal = RecordLayout.SizeOf(remove.Kind, remove.Flags, 1, 0);
        Assert.True(rig.Journal.Staging.TryReserve(head + parted + removal, out var place));
        RecordLayout.WriteGroupHead(place.Bytes, place.Lsn);
        RecordLayout.Write(place.Bytes.Slice(head, parted), set, "7"u8, default, 1_000_000);
        RecordLayout.Write(place.Bytes[(head + parted)..], remove, "3"u8, default, 0);
        place.Fill();
        Record(rig, 11, 20);
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
    }

    // The others of its collection are in files, and go with no removal; which one it is, only its bytes say.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Open_LongElement_EndsTheRecords(bool isOfGroup)
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        var fields = new RecordFields { Kind = RecordKind.Elements, Flags = RecordFlags.Parted, Type = 1 };
        int head = isOfGroup ? RecordLayout.GroupHeadSize : 0;
        int parted = RecordLayout.SizeOf(fields.Kind, fields.Flags, 1, 1_000_000);
        Assert.True(rig.Journal.Staging.TryReserve(head + parted, out var place));
        if (isOfGroup)
            RecordLayout.WriteGroupHead(place.Bytes, place.Lsn);
        RecordLayout.Write(place.Bytes[head..], fields, "7"u8, default, 1_000_000);
        place.Fill();
        Record(rig, 11, 20);
        var after = _directory.AfterKill();
        Assert.Equal(Enumerable.Range(0, 10), Open(after).Found);
        Assert.Equal(Enumerable.Range(0, 10), WithoutRing(after.AfterPowerLoss(new Random(1))).Found);
    }

    // Nothing says which keys it has.
    [Fact]
    public void Open_LongGroup_EndsTheRecords()
    {
        var rig = Open(_directory);
        Record(rig, 0, 10);
        RecordLongGroup(rig);
        Record(rig, 11, 20);
        Assert.Equal(Enumerable.Range(0, 10), Open(_directory.AfterKill()).Found);
    }

    // Threads that were interrupted anywhere, beside others that went on.
    [Fact]
    public void Open_PlacesThatWereNotFilled_FindsAllOthers() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 20; round++)
        {
            var directory = new FaultyDirectory();
            var rig = Open(directory);
            Record(rig, 0, 3_000); // In use before.
            rig.Journal.WriteAll();
            List<int> expected = [.. Enumerable.Range(0, 3_000)];
            for (int number = 3_000; number < 6_000; number++)
            {
                if (random.Next(200) == 0)
                {
                    int length = RecordLayout.Alignment * random.Next(2, 4_000);
                    while (!rig.Journal.Staging.TryReserve(length, out _))
                        rig.Journal.Staging.WaitForRoom(length);
                }

                rig.Record(number);
                expected.Add(number);
            }

            var killed = directory.AfterKill();
            killed.CrashAt = killed.Operations + random.Next(20); // So does a start that is killed, and the next one.
            TryOpen(killed);
            Assert.Equal(expected, Open(killed.AfterKill()).Found);
        }
    });

    [Fact]
    public void Record_WithARing_AllocatesNothing()
    {
        var rig = Open(_directory);
        byte[] key = "key"u8.ToArray();
        byte[] value = new byte[256];
        int size = RecordLayout.SizeOf(RecordKind.Set, RecordFlags.None, key.Length, value.Length);
        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Assert.True(rig.Journal.Staging.TryReserve(size, out var place));
                RecordLayout.Write(
                    place.Bytes, new RecordFields { Kind = RecordKind.Set }, key, value, value.Length);
                place.Fill();
            }
        }));
    }

    // The directory of a killed process that has written some numbers, and staged others; its ring.
    private (Func<FaultyDirectory> Directory, byte[] Ring, string Path) Killed()
    {
        var rig = Open(_directory);
        Record(rig, 0, Staged);
        rig.Journal.WriteAll();
        for (int i = 1; i < 8; i++)
        {
            Record(rig, i * Staged, (i + 1) * Staged);
            if (i % 3 == 0)
                rig.Journal.Staging.Seal();
        }

        string path = Assert.Single(Directory.GetFiles(_folder.Path));
        byte[] ring = File.ReadAllBytes(path);
        return (() => _directory.AfterPowerLoss(new Random(1)), ring, path);
    }

    private static IEnumerable<int> Places(byte[] ring, Random random)
    {
        for (int i = 0; i < SharedRing.CountsOffset + sizeof(ulong); i++)
            yield return i;
        for (int slot = 0; slot < 3; slot++)
        {
            int start = SharedRing.HeadSize + slot * SharedRing.SlotSize;
            for (int i = 0; i < 32; i++)
                yield return start + SharedRing.SlotHeadOffset + i;
            for (int i = 0; i < sizeof(int); i++)
                yield return start + SharedRing.SlotHeadOffset + SharedRing.FilledOffset + i;
            for (int i = 0; i < 30; i++)
            {
                yield return start + random.Next(60_000);
                yield return start + SharedRing.MarksOffset + random.Next(30_000);
            }
        }
    }

    private bool TryOpen(FaultyDirectory directory, string? folder = null)
    {
        try
        {
            _ = Open(directory, folder: folder);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static void RecordLong(JournalRig rig)
    {
        byte[] value = new byte[1_000_000];
        Array.Fill(value, (byte)7);
        var fields = new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Parted };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, 1, value.Length);
        Assert.True(rig.Journal.Staging.TryReserve(size, out var place));
        RecordLayout.Write(place.Bytes, fields, "7"u8, default, value.Length);
        place.Chunk.Add(new ArrayValue(place.Lsn, value));
        place.Fill();
    }

    private static void RecordLongGroup(JournalRig rig)
    {
        var fields = new RecordFields { Kind = RecordKind.Group, Flags = RecordFlags.Parted };
        Assert.True(rig.Journal.Staging.TryReserve(RecordLayout.GroupHeadSize, out var place));
        RecordLayout.Write(place.Bytes, fields with { Owner = place.Lsn }, default, default, 1_000);
        place.Chunk.Add(new ArrayValue(place.Lsn, new byte[1_000]));
        place.Fill();
    }

    // What was opened before is killed then.
    private JournalRig Open(
        FaultyDirectory directory, bool refusesWrites = true, string? folder = null,
        long fileBytes = JournalRig.FileBytes, bool keepsRing = true, SyncPolicy sync = SyncPolicy.EverySecond)
    {
        foreach (var earlier in _rigs)
            earlier.Kill();
        _rigs.Clear();
        return OpenBeside(directory, refusesWrites, folder, fileBytes, keepsRing, sync);
    }

    private JournalRig OpenBeside(
        FaultyDirectory directory, bool refusesWrites = true, string? folder = null,
        long fileBytes = JournalRig.FileBytes, bool keepsRing = true, SyncPolicy sync = SyncPolicy.EverySecond)
    {
        var rig = new JournalRig(directory, options: new JournalOptions
        {
            FileBytes = fileBytes,
            Chunks = 8,
            RefusesWritesOnError = refusesWrites,
            RingFolder = folder ?? _folder.Path,
            KeepsRing = keepsRing,
            Sync = sync,
        });
        _rigs.Add(rig);
        return rig;
    }

    private static JournalRig WithoutRing(FaultyDirectory directory) => new(directory);

    private static int LengthOf(int number) =>
        RecordLayout.SizeOf(RecordKind.Set, RecordFlags.None, $"{number}".Length, number % 300);

    private static void Record(JournalRig rig, int from, int to)
    {
        for (int number = from; number < to; number++)
            rig.Record(number);
    }

    private sealed class ArrayValue(ulong lsn, byte[] value) : LongValue(lsn)
    {
        public override int Length => value.Length;

        public override void CopyTo(int offset, Span<byte> part) => value.AsSpan(offset, part.Length).CopyTo(part);

        protected override void Dispose(bool disposing)
        {
        }
    }
}
