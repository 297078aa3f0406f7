namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Sessions on which the server once failed, a file each; and where new ones are put.</summary>
internal static class FuzzCorpus
{
    /// <summary>A file that is replayed in place of the corpus.</summary>
    public const string ReplayVariable = "CACHE_FUZZ_REPLAY";

    private const string Extension = ".session";

    private static readonly string _folder = Path.Combine(AppContext.BaseDirectory, "Fuzz", "Corpus");

    public static IReadOnlyList<string> Files =>
        Environment.GetEnvironmentVariable(ReplayVariable) is { Length: > 0 } file
            ? [Path.GetFullPath(file)]
            : [.. Directory.GetFiles(_folder, "*" + Extension).Order(StringComparer.Ordinal)];

    public static FuzzSession Read(string file) => FuzzSession.Parse(File.ReadAllText(file));

    /// <summary>Runs a session; a failing one is shrunk, kept in a file, and reported with what replays it.</summary>
    /// <exception cref="FuzzFailureException">It failed.</exception>
    public static async Task<int> RunAsync(FuzzSession session, Func<FuzzSession, Task<int>> run)
    {
        try
        {
            return await run(session);
        }
        catch (Exception failure)
        {
            throw await DescribeAsync(session, run, failure);
        }
    }

    private static async Task<FuzzFailureException> DescribeAsync(
        FuzzSession session, Func<FuzzSession, Task<int>> run, Exception failure)
    {
        var shortest = await SessionShrinker.ShrinkAsync(session, async shorter => await FailsAsync(shorter, run));
        string file = Path.Combine(AppContext.BaseDirectory, $"find-{Guid.NewGuid():N}{Extension}");
        await File.WriteAllTextAsync(file, $"# {FuzzText.Escape(Bytes(failure.Message))}\n{shortest.Format()}");
        return new FuzzFailureException(
            $"{failure.GetType().Name}: {failure.Message}{Environment.NewLine}{shortest.Steps.Count} steps of "
            + $"{session.Steps.Count} are left, in {file}. Replay them with: {ReplayVariable}={file} dotnet run "
            + "--project tests/Cache.Reliability.Tests -- -class "
            + $"{typeof(CorpusTests).FullName}{Environment.NewLine}Keep the file in Fuzz/Corpus.");
    }

    private static async Task<bool> FailsAsync(FuzzSession session, Func<FuzzSession, Task<int>> run)
    {
        try
        {
            await run(session);
            return false;
        }
        catch (FuzzFailureException)
        {
            return true;
        }
    }

    private static byte[] Bytes(string text) => System.Text.Encoding.Latin1.GetBytes(text);
}
