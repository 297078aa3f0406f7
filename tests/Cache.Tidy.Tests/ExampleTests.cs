using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

/// <summary>Who opens the documentation of an entry point wants to see it used.</summary>
public sealed class ExampleTests
{
    private static readonly string[] s_entryPoints = ["CacheStore", "RespServer", "CacheMetrics", "StoreHybridCache"];

    [Fact]
    public void EntryPoints_ShowAnExample() =>
        Findings.None(
            "An entry point without an <example> in its documentation:",
            from file in Repository.Sources
            where file.IsIn("src")
            from type in file.Syntax.DescendantNodes().OfType<ClassDeclarationSyntax>()
            where IsEntryPoint(type) && !IsLaterPart(file)
            where !type.GetLeadingTrivia().ToFullString().Contains("<example>")
            select $"{file.At(type)}: {type.Identifier.Text}");

    private static bool IsEntryPoint(ClassDeclarationSyntax type) =>
        type.Modifiers.Any(SyntaxKind.PublicKeyword)
        && (s_entryPoints.Contains(type.Identifier.Text)
            || type.Identifier.Text.EndsWith("Extensions", StringComparison.Ordinal));

    // CacheStore.Reads.cs: the type is described in CacheStore.cs.
    private static bool IsLaterPart(SourceFile file) => Path.GetFileName(file.Path).Count(static c => c == '.') > 1;
}
