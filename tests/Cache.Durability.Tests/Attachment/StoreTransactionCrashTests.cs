using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>
/// The power is lost, or the process killed, at each operation on the disk in turn: a transaction of keys of all types
/// is there as a whole or not at all.
/// </summary>
/// <remarks>
/// Transaction n writes n to a key of each type. The collections begin small and become large; the key of a string has
/// another name each time, and its value is short, long, or in a block of its own.
/// </remarks>
public sealed class StoreTransactionCrashTests
{
    private const int Transactions = 10;
    private const int Writes = 40;

    // Until it is large, so that transactions change small, growing and large ones.
    private const int ElementLength = 600;
    private static readonly int[] _lengths = [0, 30, 900, 70_000];
    private static readonly byte[][] _keys =
    [
        .. new[] { "even", "odd", "counter", "hash", "list", "set", "sorted", "gone" }.Select(Encoding.ASCII.GetBytes),
    ];

    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Crash_AtEachOperation_LeavesTransactionsWholeOrNotAtAll(bool hasPower) => RandomSeed.Run(this, seed =>
    {
        int lost = 0;
        for (int crash = 0; ; crash++)
        {
            var directory = new FaultyDirectory();
            var (last, acknowledged) = Write(directory, new Random(seed), crash);
            bool hasCrashed = directory.HasCrashed;
            var after = hasPower ? directory.AfterKill() : directory.AfterPowerLoss(new Random(seed + crash));
            using var rig = new StoreRig(after, _clock, Options, hasThreads: false);
            int found = Find(rig.Store, $"Seed {seed}, crash at {crash}");
            Assert.InRange(found, acknowledged, last);
            lost += last - found;
            if (!hasCrashed)
                break;
        }

        Assert.NotEqual(0, lost); // Else the rig loses nothing, and this test proves nothing.
    });

    private static JournalOptions Options => new() { FileBytes = 1 << 20, Chunks = 32 };

    // The number of the last transaction, and of the last one that is known to be durable.
    private (int Last, int Acknowledged) Write(FaultyDirectory directory, Random random, int crash)
    {
        var (last, acknowledged) = (0, 0);
        var rig = new StoreRig(directory, _clock, Options, hasThreads: false);
        directory.CrashAt = directory.Operations + crash;
        var journal = rig.Durable.Journal;
        var waiting = new Queue<ValueTask>();
        try
        {
            while (last < Transactions && journal.State == JournalState.Writing)
            {
                for (int i = random.Next(3); i >= 0 && last < Transactions; i--)
                {
                    Transact(rig.Store, ++last, random);
                    waiting.Enqueue(rig.Durable.WaitAsync());
                }

                journal.Write();
                if (random.Next(2) == 0)
                    journal.Sync();
                if (last is 5 or 6)
                    rig.Durable.Save();
                for (; waiting.TryPeek(out var first) && first.IsCompletedSuccessfully; waiting.Dequeue())
                    acknowledged++;
            }
        }
        catch (IOException) when (directory.HasCrashed)
        {
            // The snapshot tells of it.
        }

        journal.Dispose();
        rig.Store.Dispose();
        return (last, acknowledged);
    }

    private static void Transact(CacheStore store, int number, Random random) =>
        KeyedTransaction.Run(store, _keys, 1, Writes, view => Write(view, number, random));

    private static void Write(CacheStore store, int number, Random random)
    {
        byte[] text = TextOf(number);
        byte[] element = [.. text, (byte)' ', .. new byte[ElementLength]];
        byte[] value = [.. text, (byte)' ', .. new byte[_lengths[random.Next(_lengths.Length)]]];
        var (name, other) = number % 2 == 0 ? (_keys[0], _keys[1]) : (_keys[1], _keys[0]);
        if (number > 1)
            Assert.Equal(WriteStatus.Done, store.Rename(other, name, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, store.Set(name, value));
        Assert.Equal(WriteStatus.Done, store.Increment(_keys[2], 1, out _));
        Assert.Equal(WriteStatus.Done, store.Hash(_keys[3]).Set("n"u8, text));
        Assert.Equal(WriteStatus.Done, store.Hash(_keys[3]).Set(text, element));
        Assert.Equal(WriteStatus.Done, store.List(_keys[4]).Push(ListEnd.Right, element));
        Assert.Equal(WriteStatus.Done, store.SetOf(_keys[5]).Add(element));
        Assert.Equal(WriteStatus.Done, store.SortedSet(_keys[6]).Add(element, number));
        Assert.Equal(WriteStatus.Done, store.SortedSet(_keys[6]).Add("n"u8, number));
        if (number % 3 == 0)
            store.Remove(_keys[7]);
        else
            Assert.Equal(WriteStatus.Done, store.Set(_keys[7], text));
    }

    // The number of the last transaction that is there; all of it is, and nothing of another one.
    private static int Find(CacheStore store, string moment)
    {
        store.Increment(_keys[2], 0, out long counter);
        int found = (int)counter;
        if (found == 0)
        {
            Assert.Equal(0, _keys.Count(key => key != _keys[2] && store.TryPeekInfo(key, out _)));
            return 0;
        }

        byte[] text = TextOf(found);
        Assert.False(store.TryPeekInfo(_keys[1 - found % 2], out _), moment);
        Assert.StartsWith($"{found} ", TextOf(store.GetArray(_keys[found % 2])), StringComparison.Ordinal);
        Assert.Equal(text, store.Hash(_keys[3]).GetArray("n"u8));
        Assert.Equal(found + 1, store.Hash(_keys[3]).Count);
        Assert.Equal(found, store.List(_keys[4]).Count);
        Assert.StartsWith($"{found} ", TextOf(store.List(_keys[4]).GetArray(-1)), StringComparison.Ordinal);
        Assert.Equal(found, store.SetOf(_keys[5]).Count);
        Assert.Equal(found + 1, store.SortedSet(_keys[6]).Count);
        Assert.True(store.SortedSet(_keys[6]).TryGetScore("n"u8, out double score), moment);
        Assert.Equal(found, score);
        Assert.Equal(found % 3 == 0 ? null : text, store.GetArray(_keys[7]));
        return found;
    }

    private static byte[] TextOf(int number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));

    private static string TextOf(byte[]? bytes) => Encoding.Latin1.GetString(bytes ?? []);
}
