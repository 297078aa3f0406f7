using System.Text.RegularExpressions;

namespace Cache.Tidy.Tests;

/// <summary>Words that tie the project to the machine that it was written on.</summary>
public sealed partial class BannedWordTests
{
    private static readonly string[] s_textFiles =
    [
        ".cs", ".csproj", ".props", ".targets", ".sln", ".json", ".config", ".md", ".txt", ".tsv", ".sh", ".py", ".js",
        ".mjs", ".yml", ".conf", ".editorconfig", "/run", "LICENSE",
    ];

    [Fact]
    public void Files_NameNoPathOfAMachine() => Check("A path of the author's machine:", MachinePath());

    [Fact]
    public void Files_NameNoPackageSource() =>
        Check("A package registry is named; the machine says where packages come from:", Registry());

    [Fact]
    public void Files_NameNoToolOfTheWorkplace() => Check("A tool that a stranger does not have:", WorkplaceTool());

    private static void Check(string rule, Regex banned) =>
        Findings.None(
            rule,
            from path in Repository.Files
            where s_textFiles.Any(ending => path.EndsWith(ending, StringComparison.Ordinal))
            from line in File.ReadLines(Repository.Absolute(path)).Index()
            let match = banned.Match(line.Item)
            where match.Success
            select $"{path}:{line.Index + 1}: {match.Value}");

    // The brackets keep these lines from matching themselves.
    [GeneratedRegex(@"(?<![A-Za-z0-9_.])/(w[o]rk|r[o]ot|f[a]rm|h[o]me/[a-z]+|U[s]ers/[a-z]+)/")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"https?://[^ ""]*(/v3/index\.js[o]n|r[e]gistry\.|d[e]b\.|n[u]get\.org|pyp[i]\.org)")]
    private static partial Regex Registry();

    [GeneratedRegex(@"\b(l[a]nd\.sh|br[i]ef\.md|f[a]rm-[a-z]+|Co-[a]uthored-by)\b")]
    private static partial Regex WorkplaceTool();
}
