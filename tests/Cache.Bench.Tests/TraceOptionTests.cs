using System.CommandLine;
using Cache.Bench.Verbs;

namespace Cache.Bench.Tests;

/// <summary>What the verbs that replay traces say where there is nothing to replay.</summary>
public sealed class TraceOptionTests
{
    private const string Missing = "is 'none.u32.gz', which is no file; bench/README.md says where traces come from.";

    // Once: the options are static, and each call would add their rules again.
    private static readonly RootCommand _root = new("as the program has them")
    {
        HitRatioVerb.Create(),
        CurveVerb.Create(),
        PoliciesVerb.Create(),
        SizesVerb.Create(),
        EqualMemoryVerb.Create(),
        CompressionVerb.Create(),
        ReplayVerb.Create(),
    };

    public static TheoryData<string, string> Verbs => new()
    {
        { "hitratio", "--capacity 10" },
        { "hitratio-curve", "" },
        { "hitratio-policies", "" },
        { "hitratio-sizes", "" },
        { "hitratio-memory", "" },
        { "hitratio-compression", "" },
        { "replay", "" },
    };

    [Theory]
    [MemberData(nameof(Verbs))]
    public void Trace_ThatIsNotThere_IsNamed(string verb, string others) =>
        Assert.Equal([$"--trace {Missing}"], ErrorsOf(verb, $"--trace none.u32.gz {others}"));

    [Theory]
    [InlineData("hitratio-sizes", "Give --trace or --zipf: what to replay.")]
    [InlineData("hitratio-compression", "Give --trace or --zipf: what to replay.")]
    [InlineData("hitratio-policies", "Give --trace or --zipf or --made: what to replay.")]
    public void NoTrace_IsAnError(string verb, string error) => Assert.Equal([error], ErrorsOf(verb, ""));

    [Theory]
    [InlineData("hitratio-sizes")]
    [InlineData("hitratio-compression")]
    [InlineData("hitratio-policies")]
    public void ZipfAlone_IsEnough(string verb) => Assert.Empty(ErrorsOf(verb, "--zipf 10"));

    private static List<string> ErrorsOf(string verb, string arguments) =>
        [.. _root.Parse($"{verb} {arguments}").Errors.Select(static error => error.Message)];
}
