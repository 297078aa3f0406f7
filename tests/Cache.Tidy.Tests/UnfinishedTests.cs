using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed partial class UnfinishedTests
{
    private static readonly string[] s_skips = ["Skip", "SkipWhen", "SkipUnless", "SkipExceptions"];

    [Fact]
    public void Comments_PromiseNothing() =>
        Findings.None(
            "A note that the work is not done:",
            from file in Repository.Sources
            from line in file.Lines.Index()
            where Promise().IsMatch(line.Item)
            select file.At(line.Index + 1));

    [Fact]
    public void Code_HasNoStub() =>
        Findings.None(
            "A member that was never written:",
            from file in Repository.Sources
            from name in file.Syntax.DescendantNodes().OfType<IdentifierNameSyntax>()
            where name.Identifier.Text == nameof(NotImplementedException) && !file.IsIn("tests/Cache.Tidy.Tests")
            select file.At(name));

    [Fact]
    public void Tests_AreNotSkipped() =>
        Findings.None(
            "A test that is skipped:",
            from file in Repository.Sources
            from node in file.Syntax.DescendantNodes()
            where IsSkip(node)
            select file.At(node));

    private static bool IsSkip(SyntaxNode node) => node switch
    {
        AttributeArgumentSyntax argument => s_skips.Contains(argument.NameEquals?.Name.Identifier.Text),
        MemberAccessExpressionSyntax member =>
            member.Expression.ToString() == "Assert" && s_skips.Contains(member.Name.Identifier.Text),
        _ => false,
    };

    // The brackets keep this line from matching itself.
    [GeneratedRegex(@"\b(T[O]DO|F[I]XME|H[A]CK|X[X]X:)")]
    private static partial Regex Promise();
}
