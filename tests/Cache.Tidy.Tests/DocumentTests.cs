namespace Cache.Tidy.Tests;

public sealed class DocumentTests
{
    private static readonly string[] s_required =
    [
        "README.md", "LICENSE", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "docs/decisions/README.md",
        "docs/limits.md", "docs/threat-model.md",
    ];

    [Fact]
    public void Documents_Exist() =>
        Findings.None(
            "A document that the project promises:",
            s_required.Where(document => !Repository.Files.Contains(document)));

    [Fact]
    public void Decisions_AreNumberedOnce() =>
        Findings.None(
            "Two decisions with one number:",
            from document in Repository.Files
            where document.StartsWith("docs/decisions/0", StringComparison.Ordinal)
            group document by Path.GetFileName(document)[..4] into sameNumber
            where sameNumber.Count() > 1
            select string.Join(", ", sameNumber));
}
