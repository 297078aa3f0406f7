using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Journaling;

/// <summary>
/// The power is lost, or the process is killed, at any operation on the disk, again and again.
/// </summary>
public sealed class JournalCrashTests
{
    private const int Generations = 8;

    [Fact]
    public void PowerLost_AtAnyOperation_LeavesAPrefixWithAllThatWasAcknowledged() =>
        RandomSeed.Run(this, static seed =>
        {
            int lost = 0;
            for (int round = 0; round < 15; round++)
                lost += RunGenerations(new Random(seed + round));
            Assert.NotEqual(0, lost); // Else the rig loses nothing, and this test proves nothing.
        });

    // Numbers are recorded in order; each start finds a prefix of what the last one had staged.
    private static int RunGenerations(Random random)
    {
        int lost = 0;
        var directory = new FaultyDirectory();
        var expected = new List<int>();
        int acknowledged = 0;
        for (int generation = 0; generation < Generations; generation++)
        {
            var rig = new JournalRig(directory);
            Assert.Equal(expected[..rig.Found.Count], rig.Found);
            Assert.InRange(rig.Found.Count, acknowledged, expected.Count);
            lost += expected.Count - rig.Found.Count;
            expected = [.. rig.Found];
            acknowledged = expected.Count;
            directory.CrashAt = directory.Operations + random.Next(1, 40);
            acknowledged = Run(rig, random, expected, acknowledged);
            directory = random.Next(2) == 0 ? directory.AfterPowerLoss(random) : directory.AfterKill();
        }

        return lost;
    }

    // Records until the crash; how many are known to be durable then.
    private static int Run(JournalRig rig, Random random, List<int> expected, int acknowledged)
    {
        var waiting = new Queue<(ValueTask Task, int Count)>();
        while (rig.Journal.State == JournalState.Writing)
        {
            for (int i = random.Next(200); i > 0 && rig.Journal.State == JournalState.Writing; i--)
            {
                expected.Add(expected.Count);
                waiting.Enqueue((rig.Journal.WaitAsync(rig.Record(expected.Count - 1)), expected.Count));
            }

            rig.Journal.Write();
            if (random.Next(2) == 0)
                rig.Journal.Sync();
            while (waiting.TryPeek(out var first) && first.Task.IsCompleted)
            {
                if (first.Task.IsCompletedSuccessfully)
                    acknowledged = first.Count;
                waiting.Dequeue();
            }
        }

        return acknowledged;
    }
}
