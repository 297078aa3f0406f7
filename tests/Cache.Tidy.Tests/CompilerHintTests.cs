using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed class CompilerHintTests
{
    [Fact]
    public void MethodImpl_HasItsReasonBesideIt() =>
        Findings.None(
            "An instruction to the compiler without a comment that says why, on its line or the one before:",
            from file in Repository.Sources
            from attribute in file.Syntax.DescendantNodes().OfType<AttributeSyntax>()
            where attribute.Name.ToString() == "MethodImpl" && !HasComment(file, attribute)
            select file.At(attribute));

    private static bool HasComment(SourceFile file, SyntaxNode node)
    {
        int line = node.GetLocation().GetLineSpan().StartLinePosition.Line;
        return file.Lines[line].Contains("] // ", StringComparison.Ordinal)
            || file.Lines[line - 1].TrimStart().StartsWith("// ", StringComparison.Ordinal);
    }
}
