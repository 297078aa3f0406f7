using Cache.Core;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>
/// The power is lost at any operation on the disk: a store is then what it was after one of its writes.
/// </summary>
public sealed class StoreCrashTests
{
    private const int Rounds = 5;
    private const int Generations = 6;
    private const int Keys = 6;
    private const int WritesAtOnceMax = 8;
    private static readonly int[] _lengths = [1, 8, 40, 900, 20_000, 70_000];

    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void PowerLost_AtAnyOperation_LeavesTheStoreAsAfterOneOfItsWrites() => RandomSeed.Run(this, seed =>
    {
        int lost = 0;
        for (int round = 0; round < Rounds; round++)
            lost += RunGenerations(new Random(seed + round), hasError: false);
        Assert.NotEqual(0, lost); // Else the rig loses nothing, and this test proves nothing.
    });

    // Writes are refused from then on; the process ends at any later time, the machine with it or not.
    [Fact]
    public void Error_AtAnyOperation_LeavesTheStoreAsAfterOneOfItsWrites() => RandomSeed.Run(this, seed =>
    {
        for (int round = 0; round < Rounds; round++)
            RunGenerations(new Random(seed + round), hasError: true);
    });

    private int RunGenerations(Random random, bool hasError)
    {
        int lost = 0;
        var directory = new FaultyDirectory();
        List<int> states = [StateOf(null)];
        int acknowledged = 0;
        for (int generation = 0; generation < Generations; generation++)
        {
            var options = new JournalOptions { FileBytes = 1 << 20, Chunks = 32, Time = _clock };
            var rig = new StoreRig(directory, _clock, options, hasThreads: false);
            int state = StateOf(rig.Store);
            int found = states.LastIndexOf(state);
            Assert.True(found >= acknowledged, $"State {found} of {states.Count}, {acknowledged} acknowledged.");
            lost += states.Count - 1 - found;
            states = [state];
            int last = directory.Operations + random.Next(1, 60);
            (directory.CrashAt, directory.FailAt) = hasError ? (int.MaxValue, last) : (last, int.MaxValue);
            acknowledged = Run(rig, random, states);
            if (hasError && random.Next(2) == 0) // Nothing was written since: the same is to be found.
            {
                directory.FailAt = directory.Operations + random.Next(60);
                rig.Durable.TryHeal();
            }

            (directory.CrashAt, directory.FailAt) = (int.MaxValue, int.MaxValue);
            rig.Durable.Journal.Dispose();
            rig.Store.Dispose();
            directory = random.Next(3) == 0 ? directory.AfterKill() : directory.AfterPowerLoss(random);
        }

        return lost;
    }

    // Writes until the crash; the last state that is known to be durable then.
    private static int Run(StoreRig rig, Random random, List<int> states)
    {
        int acknowledged = 0;
        var waiting = new Queue<(ValueTask Task, int State)>();
        var journal = rig.Durable.Journal;
        while (journal.State == JournalState.Writing)
        {
            for (int i = random.Next(WritesAtOnceMax); i > 0; i--)
            {
                Write(rig.Store, random);
                states.Add(StateOf(rig.Store));
                waiting.Enqueue((rig.Durable.WaitAsync(), states.Count - 1));
            }

            journal.Write();
            if (random.Next(2) == 0)
                journal.Sync();
            while (waiting.TryPeek(out var first) && first.Task.IsCompleted)
            {
                if (first.Task.IsCompletedSuccessfully)
                    acknowledged = first.State;
                waiting.Dequeue();
            }
        }

        return acknowledged;
    }

    private static void Write(CacheStore store, Random random)
    {
        byte[] key = RandomWrites.NameOf(random.Next(Keys));
        byte[] other = RandomWrites.NameOf(random.Next(Keys));
        switch (random.Next(12))
        {
            case 0:
                store.Remove(key);
                break;
            case 1:
                store.Append(key, ValueOf(random, 50), out _);
                break;
            case 2:
                store.SetRange(key, random.Next(100), ValueOf(random, 50), out _);
                break;
            case 3:
                store.Rename(key, other, SetCondition.Always);
                break;
            case 4:
                store.Expire(key, store.NowMs + 1_000 + random.Next(1_000_000), ExpireConditions.None);
                break;
            case 5 when random.Next(3) == 0:
                store.ClearAll();
                break;
            case 6 when random.Next(3) == 0: // More than a chunk holds.
                SetMany(store, random, 20_000 + random.Next(40_000));
                break;
            case 7:
                SetMany(store, random, random.Next(100));
                break;
            default:
                store.Set(key, ValueOf(random, _lengths[random.Next(_lengths.Length)]));
                break;
        }
    }

    private static void SetMany(CacheStore store, Random random, int length)
    {
        var entries = new EntryArray(
            [.. Enumerable.Range(0, Keys).Select(i => (RandomWrites.NameOf(i), ValueOf(random, length)))]);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));
    }

    private static byte[] ValueOf(Random random, int length)
    {
        byte[] value = new byte[length];
        random.NextBytes(value);
        return value;
    }

    private static int StateOf(CacheStore? store)
    {
        var state = new HashCode();
        for (int i = 0; i < Keys; i++)
        {
            var info = default(EntryInfo);
            byte[] key = RandomWrites.NameOf(i);
            bool exists = store?.TryPeekInfo(key, out info) ?? false;
            state.Add(exists);
            state.Add(info.ExpiresAtUnixMs);
            state.AddBytes(exists ? store!.GetArray(key) : []);
        }

        return state.ToHashCode();
    }
}
