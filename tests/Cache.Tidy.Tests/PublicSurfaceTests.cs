namespace Cache.Tidy.Tests;

/// <summary>The public surface of each package against its reviewed text file.</summary>
public sealed class PublicSurfaceTests
{
    private const string AcceptVariable = "CACHE_ACCEPT_PUBLIC_API";

    private const string AcceptCommand = AcceptVariable + "=1 dotnet test --project tests/Cache.Tidy.Tests";

    [Theory]
    [InlineData("Cache.Core")]
    [InlineData("Cache.Durability")]
    [InlineData("Cache.Client")]
    [InlineData("Cache.Near")]
    [InlineData("Cache.Protocol")]
    [InlineData("Cache.Server")]
    [InlineData("Cache.Scripting")]
    [InlineData("Cache.Hosting")]
    [InlineData("Cache.AspNetCore")]
    [InlineData("Cache.Dashboard")]
    [InlineData("Cache.Tool")]
    public void Assembly_OffersWhatWasReviewed(string assembly)
    {
        string path = $"src/{assembly}/PublicApi.txt";
        var built = PublicSurface.Read(assembly);
        if (Environment.GetEnvironmentVariable(AcceptVariable) == "1")
            File.WriteAllText(Repository.Absolute(path), string.Concat(built.Select(line => line + "\n")));

        var reviewed = File.ReadAllLines(Repository.Absolute(path));
        var added = built.Except(reviewed).Select(line => "+ " + line);
        var removed = reviewed.Except(built).Select(line => "- " + line);
        Findings.None(
            $"The public surface differs from {path}. If that is meant, accept it and review the file's change:\n"
            + $"  {AcceptCommand}",
            added.Concat(removed));
    }
}
