using System.CommandLine;
using System.Net.Sockets;
using Cache.Bench.Subjects;
using Cache.Bench.Verbs;

var root = new RootCommand("Measurements of the store and of a running server; every verb prints a table.")
{
    ReplayVerb.Create(),
    HitRatioVerb.Create(),
    CurveVerb.Create(),
    PoliciesVerb.Create(),
    SizesVerb.Create(),
    MeritVerb.Create(),
    EqualMemoryVerb.Create(),
    CompressionVerb.Create(),
    StoreVerb.Create(),
    VariantsVerb.Create(),
    TreeVerb.Create(),
    AllocVerb.Create(),
    DoorsVerb.Create(),
    HybridVerb.Create(),
    MemoryVerb.Create(),
    GcVerb.Create(),
    GrowthVerb.Create(),
    OverwriteVerb.Create(),
    SegmentsVerb.Create(),
    CollectionsVerb.Create(),
    ExpiryVerb.Create(),
    FloodVerb.Create(),
    LargeVerb.Create(),
    ResidentVerb.Create(),
    ServerVerb.Create(),
    ServerFairnessVerb.Create(),
    ServerIdleVerb.Create(),
    SoakVerb.Create(),
    CompareVerb.Create(),
    NullServerVerb.Create(),
};
try
{
    return root.Parse(args).Invoke(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (Exception wrong) when (wrong is WrongAnswerException or InvalidDataException or EndOfStreamException)
{
    Console.Error.WriteLine($"WRONG ANSWER: {wrong.Message}");
    return 1;
}
catch (SocketException failure)
{
    Console.Error.WriteLine($"The server cannot be reached: {failure.Message}");
    return 1;
}
