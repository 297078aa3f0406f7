namespace Cache.Tidy.Tests;

/// <summary>The page of settings is what the table of directives gives.</summary>
public sealed class SettingsPageTests
{
    private const string Path = "docs/settings.md";
    private const string AcceptVariable = "CACHE_ACCEPT_SETTINGS_PAGE";

    [Fact]
    public void Page_IsWhatTheTableGives()
    {
        string written = SettingsPage.Write();
        if (Environment.GetEnvironmentVariable(AcceptVariable) == "1")
            File.WriteAllText(Repository.Absolute(Path), written);
        Assert.True(
            File.ReadAllText(Repository.Absolute(Path)).ReplaceLineEndings("\n") == written,
            $"{Path} differs from the table of directives. Write it anew, and review the change:\n"
            + $"  {AcceptVariable}=1 dotnet test --project tests/Cache.Tidy.Tests");
    }
}
