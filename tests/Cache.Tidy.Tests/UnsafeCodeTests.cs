using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed class UnsafeCodeTests
{
    private static readonly string[] s_uncheckedMembers =
    [
        "GetReference", "GetArrayDataReference", "CreateSpan", "CreateReadOnlySpan", "GetNonPinnableReference",
    ];

    [Fact]
    public void UncheckedCode_StaysBehindItsSeam() =>
        Findings.None(
            "Code that checks no bound, outside src/Cache.Core/Layout and src/Cache.Server/Protocol/*.Span.cs:",
            from project in SourceProject.All
            from file in project.Files
            where !IsSeam(file)
            from place in UncheckedSyntax(file).Concat(UncheckedCalls(project, file))
            select place);

    private static bool IsSeam(SourceFile file) =>
        file.IsIn("src/Cache.Core/Layout")
        || file.IsIn("src/Cache.Server/Protocol") && file.Path.EndsWith(".Span.cs", StringComparison.Ordinal);

    private static IEnumerable<string> UncheckedSyntax(SourceFile file) =>
        from node in file.Syntax.DescendantNodesAndTokens()
        where node.IsKind(SyntaxKind.UnsafeKeyword) || node.IsKind(SyntaxKind.PointerType)
            || node.IsKind(SyntaxKind.FunctionPointerType) || node.IsKind(SyntaxKind.FixedStatement)
        select $"{file.At(node)}: {node}";

    private static IEnumerable<string> UncheckedCalls(SourceProject project, SourceFile file) =>
        from named in project.NamedTypes(file)
        where named.Type.Name == "Unsafe"
            || named.Type.Name == "MemoryMarshal" && s_uncheckedMembers.Contains(named.Symbol.Name)
        select $"{file.At(named.Node)}: {named.Type.Name}.{named.Symbol.Name}";
}
