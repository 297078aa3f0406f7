using Cache.Testing;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;

namespace Cache.Core.Tests.Model;

public sealed class ShrinkLimitTests
{
    // Each run takes a second: the whole search would be some thousand of them.
    [Fact]
    public void Run_SequencesThatFail_EndsTheSearchInTime()
    {
        var clock = new FakeTimeProvider();
        var output = new StringWriter();
        var limit = new ShrinkLimit(seed: 7, clock, output);
        int runs = 0;
        var replay = new Replay(new Rnd(7, 1), FSharpOption<int>.None);
        var config = Config.QuickThrowOnFailure.WithReplay(FSharpOption<Replay>.Some(replay));
        var sequences = StoreCommandSequence.OfAllKinds(count: 500, keys: 8, lengthMax: 8);

        var failure = Assert.ThrowsAny<Exception>(() => FsCheck.Check.One(
            config, Prop.ForAll(sequences, sequence => limit.Run(() =>
            {
                runs++;
                clock.Advance(1_000);
                Assert.InRange(sequence.Commands.Sum(static command => command.Length), 0, 40);
            }))));

        Assert.InRange(runs, 2, (int)ShrinkLimit.DurationMax.TotalSeconds + 2);
        Assert.Contains("Falsifiable", failure.Message, StringComparison.Ordinal);
        Assert.StartsWith("Seed 7 fails", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Run_SequencesThatPass_RunsAll()
    {
        var limit = new ShrinkLimit(seed: 7, new FakeTimeProvider(), TextWriter.Null);
        int runs = 0;
        for (int i = 0; i < 10; i++)
            limit.Run(() => runs++);
        Assert.Equal(10, runs);
    }
}
