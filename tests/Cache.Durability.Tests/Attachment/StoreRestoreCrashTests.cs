using System.Text;
using Cache.Core;
using Cache.Durability.Dumps;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>
/// The power is lost, or the process killed, at each operation on the disk in turn: what RESTORE gave to a key is there
/// as a whole or not at all.
/// </summary>
/// <remarks>
/// Write n gives the key a payload whose elements have n in their names, of another type each time. Some names lie in
/// blocks, and each image is longer than a chunk of the journal.
/// </remarks>
public sealed class StoreRestoreCrashTests
{
    private const int Restores = 6;
    private const int Elements = 300;
    private const int Kinds = 4;

    // Of a name that lies in a block; every tenth is one.
    private const int LongLength = 2_000;
    private const int LongStep = 10;
    private const int StringLength = 90_000;

    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Crash_AtEachOperation_LeavesTheWholeOfARestoredValue(bool hasPower) => RandomSeed.Run(this, seed =>
    {
        byte[][] payloads = [[], .. Enumerable.Range(1, Restores).Select(PayloadOf)];
        int lost = 0;
        for (int crash = 0; ; crash++)
        {
            var directory = new FaultyDirectory();
            var (last, acknowledged) = Restore(directory, payloads, new Random(seed), crash);
            bool hasCrashed = directory.HasCrashed;
            var after = hasPower ? directory.AfterKill() : directory.AfterPowerLoss(new Random(seed + crash));
            using var rig = new StoreRig(after, _clock, Options, hasThreads: false);
            int found = Enumerable.Range(0, Restores + 1).First(number => IsWhole(rig.Store, number));
            Assert.InRange(found, acknowledged, last);
            rig.Store.RequireWhole();
            lost += last - found;
            if (!hasCrashed)
                break;
        }

        Assert.NotEqual(0, lost); // Else the rig loses nothing, and this test proves nothing.
    });

    private static JournalOptions Options => new() { FileBytes = 1 << 20, Chunks = 32 };

    // The number of the last restore, and of the last one that is known to be durable.
    private (int Last, int Acknowledged) Restore(
        FaultyDirectory directory, byte[][] payloads, Random random, int crash)
    {
        var (last, acknowledged) = (0, 0);
        var rig = new StoreRig(directory, _clock, Options, hasThreads: false);
        directory.CrashAt = directory.Operations + crash;
        var journal = rig.Durable.Journal;
        var waiting = new Queue<ValueTask>();
        while (last < Restores && journal.State == JournalState.Writing)
        {
            for (int i = random.Next(2); i >= 0 && last < Restores; i--)
            {
                Restore(rig.Store, payloads[++last]);
                waiting.Enqueue(rig.Durable.WaitAsync());
            }

            journal.Write();
            if (random.Next(2) == 0)
                journal.Sync();
            for (; waiting.TryPeek(out var first) && first.IsCompletedSuccessfully; waiting.Dequeue())
                acknowledged++;
        }

        journal.Dispose();
        rig.Store.Dispose();
        return (last, acknowledged);
    }

    private static void Restore(CacheStore store, byte[] payload)
    {
        Assert.Equal(RestoreStatus.Written, RestoredValue.Write(store, "k"u8, payload, default, out var written));
        Assert.Equal(WriteStatus.Done, written);
    }

    private byte[] PayloadOf(int number)
    {
        using var store = StoreRig.Create(_clock);
        if (number % Kinds == 0)
            Assert.Equal(WriteStatus.Done, store.Set("k"u8, StringOf(number)));
        for (int i = 0; i < Elements && number % Kinds != 0; i++)
        {
            byte[] name = NameOf(number, i);
            var status = (number % Kinds) switch
            {
                1 => store.Hash("k"u8).Set(name, "value"u8),
                2 => store.SetOf("k"u8).Add(name),
                _ => store.SortedSet("k"u8).Add(name, 1),
            };
            Assert.Equal(WriteStatus.Done, status);
        }

        Assert.True(DumpedValue.TryMake(store, "k"u8, int.MaxValue, out var payload));
        return payload!.ToArray();
    }

    // Whether the key has what that restore gave it; 0: none has given it anything.
    private static bool IsWhole(CacheStore store, int number)
    {
        if (!store.TryPeekInfo("k"u8, out var info))
            return number == 0;
        var kind = (number % Kinds) switch
        {
            0 => EntryKind.String,
            1 => EntryKind.Hash,
            2 => EntryKind.Set,
            _ => EntryKind.SortedSet,
        };
        if (info.Kind != kind || number == 0)
            return false;
        if (kind == EntryKind.String)
            return StringOf(number).AsSpan().SequenceEqual(store.GetArray("k"u8));
        return CountOf(store, kind) == Elements
            && Enumerable.Range(0, Elements).All(i => Has(store, kind, NameOf(number, i)));
    }

    private static long CountOf(CacheStore store, EntryKind kind) => kind switch
    {
        EntryKind.Hash => store.Hash("k"u8).Count,
        EntryKind.Set => store.SetOf("k"u8).Count,
        _ => store.SortedSet("k"u8).Count,
    };

    private static bool Has(CacheStore store, EntryKind kind, byte[] name) => kind switch
    {
        EntryKind.Hash => store.Hash("k"u8).Contains(name),
        EntryKind.Set => store.SetOf("k"u8).Contains(name),
        _ => store.SortedSet("k"u8).Contains(name),
    };

    private static byte[] StringOf(int number) =>
        Encoding.ASCII.GetBytes(new string((char)('a' + number), StringLength));

    private static byte[] NameOf(int number, int index) => Encoding.ASCII.GetBytes(
        (index % LongStep == 0 ? new string('m', LongLength) : new string('m', 100)) + $" {index} of {number}");
}
