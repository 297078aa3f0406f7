using Cache.Core.Changes;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>The records of a key have the order of its changes, whoever is held where.</summary>
public sealed class StoreOrderTests
{
    // As long as a writer takes that nobody keeps out, many times.
    private static readonly TimeSpan _moment = TimeSpan.FromMilliseconds(300);

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    // Else another thread's later change of the key, which its client may have seen acknowledged, could be found by a
    // start while this one is a hole before it.
    [Fact]
    public void OverwriteInPlace_WhileItFillsItsRecord_KeepsOtherWritersOut()
    {
        using var store = StoreRig.Create(_clock);
        var options = new JournalOptions { FileBytes = 1 << 20, Chunks = 4 };
        using (var journal = JournalStart.Open(
            _directory, new StoreLoader(store), RecoveryMode.Strict, options, out _))
        {
            var held = new HeldJournal(new StoreJournal(journal.Staging, threads: null, new ChangeCounter()));
            store.Attach(held);
            store.Set("key"u8, "0"u8);
            var other = new Thread(() => store.Set("key"u8, "2"u8));
            held.Filling = () =>
            {
                held.Filling = null;
                other.Start();
                Assert.False(other.Join(_moment));
            };
            store.Set("key"u8, "1"u8);
            other.Join();
            store.Detach(held);
            journal.Close();
        }

        Assert.Equal("2"u8.ToArray(), store.GetArray("key"u8));
        using var after = new StoreRig(_directory, _clock, options, hasThreads: false);
        Assert.Equal("2"u8.ToArray(), after.Store.GetArray("key"u8));
    }

    [Fact]
    public void RacedKeys_AfterAStart_AreThoseOfTheStore()
    {
        const int Threads = 2;
        const int Keys = 40_000;
        using var folder = new TemporaryFolder();
        var directory = new SystemDirectory(folder.Path);
        var rig = new StoreRig(directory, _clock);
        for (int i = 0; i < Keys; i++)
            rig.Store.Set(RandomWrites.NameOf(i), BitConverter.GetBytes(-1));
        using var barrier = new Barrier(Threads);
        var threads = Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            for (int i = 0; i < Keys; i++)
            {
                if (i % 1_000 == 0)
                    barrier.SignalAndWait();
                rig.Store.Set(RandomWrites.NameOf(i), BitConverter.GetBytes(number));
            }
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());
        rig.Durable.Dispose();
        using var after = new StoreRig(directory, _clock);
        StoreRig.AssertSame(rig.Store, after.Store);
        rig.Store.Dispose();
    }

    /// <summary>Hands on, and stops where a record is filled.</summary>
    private sealed class HeldJournal(ChangeJournal inner) : ChangeJournal
    {
        public Action? Filling { get; set; }

        public override long SizeOf(in ChangeRecord record) => inner.SizeOf(record);

        public override bool TryReserve(long bytes, int count, out ChangeReservation reservation) =>
            inner.TryReserve(bytes, count, out reservation);

        public override void WaitForRoom(long bytes) => inner.WaitForRoom(bytes);

        public override void Write(
            ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        {
            Filling?.Invoke();
            inner.Write(ref reservation, record, key, value);
        }

        public override void Write(
            ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value) =>
            inner.Write(ref reservation, record, key, value);

        public override void Complete(ref ChangeReservation reservation)
        {
            Filling?.Invoke();
            inner.Complete(ref reservation);
        }
    }
}
