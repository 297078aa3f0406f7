using Cache.Testing;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;

namespace Cache.Core.Tests.Model;

/// <summary>Random sequences of commands answer as the sequential model does.</summary>
/// <remarks>The environment variable CACHE_MODEL_SEQUENCES makes more of them.</remarks>
public sealed class StoreModelTests
{
    private const string SequencesVariable = "CACHE_MODEL_SEQUENCES";
    private const int SequencesDefault = 40;
    private const int CommandsPerSequence = 500;

    // Two keyspaces of eight keys: most commands meet an entry.
    private const int FewKeys = 16;

    // All keyspaces, whose entries together are more than the least limit holds.
    private const int ManyKeys = 128;

    [Fact]
    public void Commands_FarBelowTheLimit_AnswerAsTheModel() => RandomSeed.Run(this, static seed =>
    {
        var sequences = StoreCommandSequence.OfAllKinds(CommandsPerSequence, FewKeys, lengthMax: 3_000);
        Assert.Equal(0, Check(seed, sequences, memoryLimitBytes: 64 << 20, EvictionPolicy.AllEntries));
    });

    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    [InlineData(EvictionPolicy.None)]
    public void Commands_AtTheLimit_AnswerAsTheModelButForEvictions(EvictionPolicy eviction) =>
        RandomSeed.Run(this, seed =>
        {
            var sequences = StoreCommandSequence.MostlyGrowing(
                CommandsPerSequence, ManyKeys, lengthMax: ModelRun.ValueLengthMax);
            Assert.NotEqual(0, Check(seed, sequences, CacheOptions.MemoryLimitMin, eviction));
        });

    // Each command meets a compressed value whenever there is one that can be.
    [Theory]
    [InlineData(FewKeys, 64 << 20, 3_000)]
    [InlineData(ManyKeys, CacheOptions.MemoryLimitMin, ModelRun.ValueLengthMax)]
    public void Commands_OnCompressedValues_AnswerAsTheModelButForEvictions(
        int keys, long memoryLimitBytes, int lengthMax) =>
        RandomSeed.Run(this, seed =>
        {
            var sequences = StoreCommandSequence.OfAllKinds(CommandsPerSequence, keys, lengthMax);
            long compressions = 0;
            Check(
                seed, sequences, memoryLimitBytes, EvictionPolicy.AllEntries, ValueCompression.All,
                (run, commands) =>
                {
                    run.Run(commands);
                    compressions += run.Compressions;
                });
            Assert.InRange(compressions, Sequences, long.MaxValue);
        });

    [Theory]
    [InlineData(FewKeys, EvictionPolicy.AllEntries, 64 << 20)]
    [InlineData(ManyKeys, EvictionPolicy.AllEntries, 64 << 20)]
    [InlineData(ManyKeys, EvictionPolicy.AllEntries, CacheOptions.MemoryLimitMin)]
    [InlineData(ManyKeys, EvictionPolicy.None, CacheOptions.MemoryLimitMin)]
    public void Commands_InTransactions_AnswerAsTheModel(int keys, EvictionPolicy eviction, long memoryLimitBytes) =>
        RandomSeed.Run(this, seed =>
        {
            var sequences = StoreCommandSequence.OfAllKinds(CommandsPerSequence, keys, ModelRun.ValueLengthMax);
            Check(
                seed, sequences, memoryLimitBytes, eviction,
                (run, commands) => run.RunInTransactions(commands, keys));
        });

    private static long Check(
        int seed, Arbitrary<StoreCommandSequence> sequences, long memoryLimitBytes, EvictionPolicy eviction) =>
        Check(seed, sequences, memoryLimitBytes, eviction, static (run, commands) => run.Run(commands));

    private static long Check(
        int seed, Arbitrary<StoreCommandSequence> sequences, long memoryLimitBytes, EvictionPolicy eviction,
        Action<ModelRun, StoreCommand[]> runAll) =>
        Check(seed, sequences, memoryLimitBytes, eviction, ValueCompression.Off, runAll);

    // How often the limit was felt, over all sequences.
    private static long Check(
        int seed, Arbitrary<StoreCommandSequence> sequences, long memoryLimitBytes, EvictionPolicy eviction,
        ValueCompression compression, Action<ModelRun, StoreCommand[]> runAll)
    {
        // The increment of FsCheck's generator must be odd.
        var replay = new Replay(new Rnd((ulong)seed, 1), FSharpOption<int>.None);
        var config = Config.QuickThrowOnFailure.WithMaxTest(Sequences).WithReplay(FSharpOption<Replay>.Some(replay))
            .WithQuietOnSuccess(true);
        var limit = new ShrinkLimit(seed, TimeProvider.System, Console.Error);
        long limitsMet = 0;
        FsCheck.Check.One(config, Prop.ForAll(sequences, sequence => limit.Run(() =>
        {
            using var run = new ModelRun(memoryLimitBytes, eviction, compression);
            runAll(run, sequence.Commands);
            limitsMet += run.LimitsMet;
        })));
        return limitsMet;
    }

    private static int Sequences =>
        int.TryParse(Environment.GetEnvironmentVariable(SequencesVariable), out int sequences)
            ? sequences
            : SequencesDefault;
}
