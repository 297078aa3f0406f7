using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed class SizeTests
{
    private const int FileLinesMax = 500;
    private const int MethodLinesMax = 70;
    private const int ColumnsMax = 120;

    [Fact]
    public void Files_AreShort() =>
        Findings.None(
            $"A file of more than {FileLinesMax} lines; divide the type by role (Shard.Eviction.cs):",
            from file in Repository.Sources
            let lines = file.Lines.Count - 1
            where lines > FileLinesMax
            select $"{file.Path}: {lines} lines");

    [Fact]
    public void Methods_AreShort() =>
        Findings.None(
            $"A method of more than {MethodLinesMax} lines:",
            from file in Repository.Sources
            from member in file.Syntax.DescendantNodes()
            where member is BaseMethodDeclarationSyntax or AccessorDeclarationSyntax or LocalFunctionStatementSyntax
            let span = member.GetLocation().GetLineSpan()
            let lines = span.EndLinePosition.Line - span.StartLinePosition.Line + 1
            where lines > MethodLinesMax
            select $"{file.At(member)}: {lines} lines");

    [Fact]
    public void Lines_AreNarrow() =>
        Findings.None(
            $"A line of more than {ColumnsMax} columns:",
            from file in Repository.Sources
            from line in file.Lines.Index()
            where line.Item.TrimEnd('\r').Length > ColumnsMax
            select $"{file.At(line.Index + 1)}: {line.Item.Length} columns");
}
