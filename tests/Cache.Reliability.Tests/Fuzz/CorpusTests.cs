using Cache.Server;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Whatever was found once stays fixed, over every transport.</summary>
public sealed class CorpusTests
{
    public static TheoryData<string> Files => [.. FuzzCorpus.Files.Select(static file => Path.GetFileName(file))];

    [Theory]
    [MemberData(nameof(Files))]
    public async Task Session_FoundOnce_PassesInMemory(string file) =>
        await InMemorySessionRun.RunAsync(FuzzCorpus.Read(PathOf(file)));

    [Theory]
    [MemberData(nameof(Files))]
    public async Task Session_FoundOnce_PassesOverTcp(string file)
    {
        foreach (var transport in FuzzTransports.Offered)
        {
            await using var run = await TcpSessionRun.StartAsync(transport);
            run.Run(FuzzCorpus.Read(PathOf(file)));
            await run.CheckAfterwardsAsync();
        }
    }

    private static string PathOf(string name) => FuzzCorpus.Files.Single(file => Path.GetFileName(file) == name);
}
