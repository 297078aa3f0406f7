using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;
using Cache.Core.Tests.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>What others do at one moment of a write of a large hash.</summary>
public sealed class LargeHashScheduleTests(ITestOutputHelper output)
{
    // A long batch holds homes such that others read there; a writer of an object must take them as held.
    [Fact]
    public void Set_OfAFieldWhileALongBatchReplacesTheKey_IsRecordedInTheOrderOfTheStore()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        LargeHashTests.Fill(store, "h", 1_000);
        var journal = new RecordingJournal();
        store.Attach(journal);
        Thread? writer = null;
        var written = WriteStatus.NotFound;
        RoomSteps.Observe(step =>
        {
            if (step != RoomStep.KeysFound || writer is not null)
                return;
            writer = new Thread(() => written = store.Hash("h"u8).Set("new"u8, "1"u8));
            writer.Start();
            writer.Join(300); // It may wait for the batch.
        });
        (byte[], byte[])[] pairs =
            [(Bytes("h"), Bytes("a string")), .. Enumerable.Range(0, 99).Select(i => (Bytes($"k{i}"), Bytes("1")))];
        var entries = new EntryArray(pairs);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));
        RoomSteps.Observe(null);
        writer!.Join();
        store.Detach(journal);

        Assert.Equal(EntryKind.String, store.KindOf("h"u8));
        var last = journal.Changes.Last(change => change.Key == Convert.ToHexString(Bytes("h"))).Record;
        output.WriteLine($"{written}, last record {last.Kind} {last.EntryKind}");
        Assert.Equal((ChangeKind.Set, EntryKind.String), (last.Kind, last.EntryKind));
    }

    [Fact]
    public void SetIfUnchanged_WhileAFieldIsWritten_SeesTheWrite()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        LargeHashTests.Fill(store, "h", 1_000);
        Assert.True(store.TryPeekInfo("h"u8, out var info));
        Thread? other = null;
        var set = WriteStatus.NotFound;
        var observer = new Hook(() =>
        {
            if (other is not null)
                return;
            other = new Thread(() => set = store.SetIfUnchanged("h"u8, "1"u8, default, info.Version));
            other.Start();
            other.Join(300); // It may wait for the writer.
        });
        store.Attach(observer);
        var written = store.Hash("h"u8).Set("new"u8, "1"u8);
        other!.Join();
        store.Detach(observer);
        output.WriteLine($"{written} {set}");
        Assert.False(written == WriteStatus.Done && set == WriteStatus.Done, "A written field was overwritten.");
    }

    [Fact]
    public void Note_OfAWrittenField_ComesBeforeThatOfTheRemoval()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        LargeHashTests.Fill(store, "h", 1_000);
        var notes = new List<string>();
        var observer = new Notes(notes);
        Thread? other = null;
        var journal = new HookJournal(() =>
        {
            if (other is not null)
                return;
            other = new Thread(() => store.Remove("h"u8));
            other.Start();
            other.Join(300); // It may wait for the writer.
        });
        store.Attach(journal);
        store.Attach(observer);
        var written = store.Hash("h"u8).Set("new"u8, "1"u8);
        other!.Join();
        store.Detach(observer);
        store.Detach(journal);
        output.WriteLine($"{written}: {string.Join(", ", notes)}; present: {store.Contains("h"u8)}");
        Assert.Equal(store.Contains("h"u8) ? "Set" : "Remove", notes[^1]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Set_ThatMakesALargeHash_EndsWhileOthersWriteTheSmallOne(int others)
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        for (int i = 0; i < 100; i++)
            store.Hash("h"u8).Set(Bytes($"field {i}"), new byte[25]);
        Assert.True(store.State.Objects is null or { Count: 0 });
        using var stop = new CancellationTokenSource();
        long increments = 0;
        var threads = Enumerable.Range(0, others).Select(i => new Thread(() =>
        {
            while (!stop.IsCancellationRequested && store.State.Objects is null or { Count: 0 })
            {
                store.Hash("h"u8).Increment("n"u8, 1, out _);
                Interlocked.Increment(ref increments);
            }
        })).ToArray();
        foreach (var thread in threads)
            thread.Start();
        long start = Stopwatch.GetTimestamp();
        var converting = new Thread(() => store.Hash("h"u8).Set("long"u8, new byte[1_200]));
        converting.Start();
        bool ended = converting.Join(10_000);
        long longest = (long)Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        stop.Cancel();
        foreach (var thread in threads)
            thread.Join();
        converting.Join();
        output.WriteLine($"{longest} ms, {increments} increments");
        Assert.True(ended);
    }

    [Fact]
    public void Dispose_WhileHashesBecomeLarge_ThrowsNothingElse() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 60; round++)
        {
            var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
            Exception? failure = null;
            int ready = 0;
            var threads = Enumerable.Range(0, 4).Select(t => new Thread(() =>
            {
                try
                {
                    var pairs = new EntryArray(
                        [.. Enumerable.Range(0, 120).Select(i => (Bytes($"field {i}"), new byte[100 + i]))]);
                    Interlocked.Increment(ref ready);
                    for (int i = 0; ; i++)
                    {
                        var hash = store.Hash(BitConverter.GetBytes(t * 1_000_000 + i));
                        hash.SetMany(ref pairs, out _);
                        var sink = new FieldListSink();
                        if (i % 4 == 0)
                            hash.GetAll(ref sink);
                        if (i % 3 == 0)
                            store.Remove(BitConverter.GetBytes(t * 1_000_000 + i));
                    }
                }
                catch (ObjectDisposedException)
                {
                }
                catch (Exception other)
                {
                    failure = other;
                }
            })).ToArray();
            foreach (var thread in threads)
                thread.Start();
            while (Volatile.Read(ref ready) < 4)
                Thread.Yield();
            Thread.Sleep(random.Next(3));
            Thread.SpinWait(random.Next(20_000));
            store.Dispose();
            foreach (var thread in threads)
                Assert.True(thread.Join(20_000), "hangs");
            Assert.Null(failure);
        }
    });

    [Fact]
    public void Copy_WhoseSourceGoesMeanwhile_Ends()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        for (int round = 0; round < 10; round++)
        {
            LargeHashTests.Fill(store, "h", 2_000);
            bool isOver = false;
            int copies = 0;
            var thread = new Thread(() =>
            {
                while (!Volatile.Read(ref isOver))
                {
                    store.Copy("h"u8, store, "copy"u8, SetCondition.Always);
                    Interlocked.Increment(ref copies);
                }
            })
            { IsBackground = true };
            thread.Start();
            while (Volatile.Read(ref copies) == 0)
                Thread.Yield();
            Thread.SpinWait(1_000 * round);
            store.Remove("h"u8);
            Volatile.Write(ref isOver, true);
            bool hasEnded = thread.Join(5_000);
            if (!hasEnded)
            {
                LargeHashTests.Fill(store, "h", 200);
                thread.Join();
            }

            Assert.True(hasEnded, $"round {round}");
        }
    }

    [Fact]
    public void GetAll_WithoutAPageForASnapshot_KeepsNoBucketWaiting()
    {
        using var fixture = new StoreFixture(options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        LargeHashTests.Fill(store, "h", 1_000);
        for (int i = 0; store.Set(BitConverter.GetBytes(i), new byte[1_000]) == WriteStatus.Done; i++)
        {
        }

        var taken = new List<uint>();
        while (store.State.Objects!.Pages.TryTake(1, out uint page))
            taken.Add(page);

        bool isRead = false, inTime = false;
        Thread? reader = null, neighbour = null;
        var sink = new HookSink(() =>
        {
            if (reader is not null)
                return;
            reader = new Thread(() =>
            {
                var other = new FieldListSink();
                store.Hash("h"u8).GetAll(ref other);
            });
            reader.Start();
            Thread.Sleep(300);
            neighbour = new Thread(() =>
            {
                store.TryPeekInfo("h"u8, out _);
                isRead = true;
            });
            neighbour.Start();
            neighbour.Join(2_000);
            inTime = isRead;
            output.WriteLine($"the bucket was read beside: {isRead}");
        });
        store.Hash("h"u8).GetAll(ref sink);
        reader!.Join();
        neighbour!.Join();
        taken.ForEach(store.State.Objects.Pages.Give);
        Assert.True(inTime);
    }

    [Fact]
    public void AnyWrites_ReplayedFromTheJournal_MakeTheSameStore() => RandomSeed.Run(this, seed =>
    {
        using var fixture = new StoreFixture(options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        var journal = new RecordingJournal();
        store.Attach(journal);
        var threads = new Thread[4];
        Exception? failure = null;
        long end = Environment.TickCount64 + 4_000;
        for (int t = 0; t < threads.Length; t++)
        {
            int thread = t;
            threads[t] = new Thread(() =>
            {
                try
                {
                    var random = new Random(seed + thread);
                    while (Environment.TickCount64 < end)
                        RunOne(store, random);
                }
                catch (Exception other)
                {
                    failure = other;
                }
            });
            threads[t].Start();
        }

        foreach (var thread in threads)
            thread.Join();
        Assert.Null(failure);
        store.Detach(journal);
        var model = new Dictionary<string, object>();
        var changes = journal.Changes;
        int elements = changes.Count(change => change.Record.Kind == ChangeKind.Elements);
        output.WriteLine($"{changes.Count} changes, {elements} of elements");
        int strange = 0;
        foreach (var change in changes)
            strange += Apply(model, change) ? 0 : 1;
        output.WriteLine($"{strange} of elements met no hash");
        for (int k = 0; k < 6; k++)
        {
            byte[] key = [(byte)k];
            string name = Convert.ToHexString(key);
            var sink = new FieldListSink();
            var status = store.Hash(key).GetAll(ref sink);
            model.TryGetValue(name, out object? expected);
            if (status == ReadStatus.Found)
            {
                var fields = (Dictionary<string, string>)expected!;
                Assert.Equal(fields.Select(p => (p.Key, p.Value)).Order(), sink.Fields.Order());
            }
            else if (status == ReadStatus.NotFound)
                Assert.Null(expected);
            else
                Assert.Equal(store.GetArray(key)!, (byte[])expected!);
        }

        Assert.Equal(0, strange);
    });

    private static void RunOne(CacheStore store, Random random)
    {
        byte[] key = [(byte)random.Next(6)];
        var hash = store.Hash(key);
        byte[] field = Bytes($"f{random.Next(200)}");
        switch (random.Next(100))
        {
            case < 50:
                hash.Set(field, Bytes(new string('v', random.Next(60)) + random.Next()));
                break;
            case < 60:
                hash.Remove(field);
                break;
            case < 70:
                var pairs = new EntryArray([.. Enumerable.Range(0, random.Next(100)).Select(
                    _ => (Bytes($"f{random.Next(200)}"), Bytes($"{random.Next()}")))]);
                hash.SetMany(ref pairs, out _);
                break;
            case < 74:
                var names = new KeyArray([.. Enumerable.Range(0, 200).Select(i => Bytes($"f{i}"))]);
                hash.RemoveMany(ref names, out _);
                break;
            case < 84:
                hash.Increment("n"u8, 1, out _);
                break;
            case < 86:
                store.Remove(key);
                break;
            case < 87:
                store.Set(key, Bytes($"{random.Next()}"));
                break;
            case < 89:
                (byte[], byte[])[] entries =
                [
                    (key, Bytes($"{random.Next()}")),
                    .. Enumerable.Range(0, 70).Select(i => (Bytes($"key {i}"), Bytes("1"))),
                ];
                var source = new EntryArray(entries);
                store.SetMany(ref source, SetCondition.Always);
                break;
            case < 91:
                KeyedTransaction.Run(store, [key], 1, 4, view =>
                {
                    view.Hash(key).Set(field, "t"u8);
                    view.Hash(key).Set("other"u8, "t"u8);
                    view.Hash(key).Remove(field);
                });
                break;
            case < 92:
                store.Expire(key, store.NowMs - 1, ExpireConditions.None);
                break;
            case < 93 when random.Next(10) == 0:
                store.Clear();
                break;
            case < 96:
                store.Rename(key, [(byte)random.Next(6)], SetCondition.Always);
                break;
            default:
                store.Copy(key, store, [(byte)random.Next(6)], SetCondition.Always);
                break;
        }
    }

    private static bool Apply(Dictionary<string, object> model, RecordedChange change)
    {
        switch (change.Record.Kind)
        {
            case ChangeKind.Set when change.Record.EntryKind == EntryKind.Hash:
                var fields = new Dictionary<string, string>();
                if (ElementReader.IsStored(change.Value))
                {
                    Put(fields, ElementReader.OfStored(change.Value));
                }
                else
                {
                    Assert.True(PackedTable.TryOpen(change.Value, PackedShape.Hash, out var table));
                    for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
                        fields[Text(table.NameAt(place))] = Text(table.ValueAt(place));
                }

                model[change.Key] = fields;
                return true;
            case ChangeKind.Set:
                model[change.Key] = change.Value;
                return true;
            case ChangeKind.Remove:
                model.Remove(change.Key);
                return true;
            case ChangeKind.Clear:
                model.Clear();
                return true;
            case ChangeKind.Elements:
                if (model.GetValueOrDefault(change.Key) is not Dictionary<string, string> hash)
                    return false;
                Put(hash, new ElementReader(change.Value));
                return true;
            default:
                return true;
        }
    }

    private static void Put(Dictionary<string, string> fields, ElementReader reader)
    {
        while (reader.TryRead())
        {
            if (reader.Action == ElementAction.Put)
                fields[Text(reader.Name)] = Text(reader.Value);
            else
                fields.Remove(Text(reader.Name));
        }
    }

    private static string Text(ReadOnlySpan<byte> bytes) => System.Text.Encoding.Latin1.GetString(bytes);

    private sealed class Hook(Action action) : ChangeObserver
    {
        public override void Note(in ChangeNote note) => action();

        public override void Drain()
        {
        }
    }

    private sealed class Notes(List<string> notes) : ChangeObserver
    {
        public override void Note(in ChangeNote note)
        {
            lock (notes)
                notes.Add($"{note.Kind}");
        }

        public override void Drain()
        {
        }
    }

    private sealed class HookJournal(Action writing) : ChangeJournal
    {
        public override long SizeOf(in ChangeRecord record) => 48 + record.KeyLength + record.ValueLength;

        public override bool TryReserve(long bytes, int count, out ChangeReservation reservation)
        {
            reservation = new ChangeReservation { Owner = this, Length = bytes };
            return true;
        }

        public override void WaitForRoom(long bytes)
        {
        }

        public override void Write(
            ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        {
            if (record.Kind == ChangeKind.Elements)
                writing();
        }

        public override void Write(
            ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value) =>
            value.Dispose();

        public override void Complete(ref ChangeReservation reservation) => reservation = default;
    }

    private readonly struct HookSink(Action action) : IFieldSink
    {
        public void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value) => action();
    }
}
