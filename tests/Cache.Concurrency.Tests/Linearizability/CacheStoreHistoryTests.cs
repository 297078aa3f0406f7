using System.Globalization;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>Histories of several threads on few keys, each key's checked for linearizability.</summary>
/// <remarks>
/// A history is recorded in rounds; between them nobody works, so that each round is a history of its own that begins
/// in the state that the last one left.
/// </remarks>
public sealed class CacheStoreHistoryTests
{
    private const int Keys = 3;
    private const int Threads = 4;
    private const int Rounds = 40;
    private const int OperationsPerRound = 1_500;

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Histories_FewKeys_AreLinearizable(int shardCount) => RandomSeed.Run(this, seed =>
    {
        // 1,024 keys that nobody touches stand between the few in the table.
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = shardCount });
        byte[][] keys = [.. Enumerable.Range(0, Keys).Select(static i => new byte[] { (byte)'k', (byte)i })];
        for (int i = 0; i < 1_024; i++)
            store.Set(BitConverter.GetBytes(i), "bystander"u8);
        HistoryRecorder[] recorders =
            [.. Enumerable.Range(0, Threads).Select(i => new HistoryRecorder(store, keys, i, new Random(seed + i)))];

        int operations = 0;
        for (int round = 0; round < Rounds; round++)
        {
            var initial = keys.Select(key => StateOf(store, key)).ToArray();
            TestThreads.Run(
                Threads, TimeSpan.FromSeconds(1), (thread, _) => recorders[thread].Record(OperationsPerRound));
            for (int key = 0; key < Keys; key++)
                operations += Check(recorders, key, initial[key], round);
            foreach (var recorder in recorders)
                recorder.Clear();
        }

        Assert.Equal(Rounds * Threads * OperationsPerRound, operations);
        store.AssertValid();
    });

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Histories_WithClears_AreLinearizable(int shardCount) => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = shardCount });
        byte[][] keys = [.. Enumerable.Range(0, Keys).Select(static i => new byte[] { (byte)'k', (byte)i })];
        HistoryRecorder[] recorders =
            [.. Enumerable.Range(0, Threads).Select(i => new HistoryRecorder(store, keys, i, new Random(seed + i)))];

        for (int round = 0; round < Rounds; round++)
        {
            var initial = keys.Select(key => StateOf(store, key)).ToArray();
            TestThreads.Run(Threads, TimeSpan.FromSeconds(1), (thread, _) =>
            {
                for (int i = 0; i < OperationsPerRound / 20; i++)
                {
                    recorders[thread].Record(19);
                    recorders[thread].RecordClear();
                }
            });
            for (int key = 0; key < Keys; key++)
                Check(recorders, key, initial[key], round);
            foreach (var recorder in recorders)
                recorder.Clear();
        }

        store.AssertValid();
    });

    private static KeyState StateOf(CacheStore store, byte[] key) =>
        store.GetArray(key) is { } value
            ? KeyState.Present(long.Parse(value, CultureInfo.InvariantCulture))
            : KeyState.Absent;

    private static int Check(HistoryRecorder[] recorders, int key, KeyState initial, int round)
    {
        KeyOperation[] history = [.. recorders.SelectMany(recorder => recorder.HistoryOf(key))];
        Assert.True(
            LinearizabilityChecker.IsLinearizable(history, initial),
            $"The history of key {key} in round {round} is not linearizable ({history.Length} operations).");
        return history.Length;
    }
}
