using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

public sealed class NamingTests
{
    // Names that say nothing: what is the noun?
    private static readonly string[] s_emptyNouns = ["Utils", "Util", "Utilities", "Helper", "Helpers", "Manager"];

    // An application has opened these already, so that a method which extends one of their types needs no `using`.
    private static readonly string[] s_namespacesOfTheFramework =
        ["Microsoft.Extensions.DependencyInjection", "Microsoft.AspNetCore.Builder"];

    [Fact]
    public void RegistrationMethods_NeedNoUsing() =>
        Findings.None(
            "A public class of extension methods outside the namespaces where users of .NET look for them:",
            from file in Repository.Sources
            where file.IsIn("src")
            from space in file.Syntax.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>()
            where space.Members.Any(IsPublicExtension) && !s_namespacesOfTheFramework.Contains(space.Name.ToString())
            select $"{file.At(space)}: {space.Name}");

    [Fact]
    public void Folder_IsNamespace() =>
        Findings.None(
            "A namespace that is not the folder's path:",
            from file in Repository.Sources
            where !file.IsIn("samples") && !file.IsIn("tests/interop")
            from space in file.Syntax.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>()
            where space.Name.ToString() != file.FolderNamespace && !IsForUsers(file, space)
            select $"{file.At(space)}: {space.Name}, in the folder of {file.FolderNamespace}");

    // What users name is where they look for it.
    private static bool IsForUsers(SourceFile file, BaseNamespaceDeclarationSyntax space) =>
        file.FolderNamespace is "Cache.Core.Contracts" or "Cache.Core.Contracts.Streams"
            or "Cache.Durability.Contracts" or "Cache.Near.Contracts"
            && space.Name.ToString() == file.FolderNamespace[..file.FolderNamespace.IndexOf(".Contracts")]
        || s_namespacesOfTheFramework.Contains(space.Name.ToString()) && space.Members.All(IsPublicExtension);

    private static bool IsPublicExtension(MemberDeclarationSyntax member) =>
        member is ClassDeclarationSyntax type && type.Modifiers.Any(SyntaxKind.PublicKeyword)
        && type.Identifier.Text.EndsWith("Extensions", StringComparison.Ordinal);

    [Fact]
    public void SourceFiles_DeclareANamespace() =>
        Findings.None(
            "A file without a namespace:",
            from file in Repository.Sources
            where file.IsIn("src") && !file.Syntax.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>().Any()
            select file.Path);

    [Fact]
    public void Types_AreNamedByANoun() =>
        Findings.None(
            "A type with a name that says nothing:",
            from file in Repository.Sources
            from type in file.Syntax.DescendantNodes().OfType<BaseTypeDeclarationSyntax>()
            where s_emptyNouns.Any(noun => type.Identifier.Text.EndsWith(noun, StringComparison.Ordinal))
            select $"{file.At(type)}: {type.Identifier.Text}");

    [Fact]
    public void NoPublicType_IsNamedAsTheProduct() =>
        Findings.None(
            "A public type named Cache hides the namespace from every caller:",
            from file in Repository.Sources
            where file.IsIn("src")
            from type in file.Syntax.DescendantNodes().OfType<BaseTypeDeclarationSyntax>()
            where type.Identifier.Text == "Cache" && type.Modifiers.Any(SyntaxKind.PublicKeyword)
            select file.At(type));

    [Fact]
    public void InternalClasses_AreSealed() =>
        Findings.None(
            "A class that is not public and neither sealed, static nor abstract:",
            from file in Repository.Sources
            where file.IsIn("src")
            from type in file.Syntax.DescendantNodes().OfType<TypeDeclarationSyntax>()
            where type is ClassDeclarationSyntax || type.IsKind(SyntaxKind.RecordDeclaration)
            let parts = PartsOf(file, type)
            where !HasAny(parts, SyntaxKind.PublicKeyword)
                && !HasAny(parts, SyntaxKind.SealedKeyword, SyntaxKind.StaticKeyword, SyntaxKind.AbstractKeyword)
            select $"{file.At(type)}: {type.Identifier.Text}");

    [Fact]
    public void Regions_AreNotUsed() =>
        Findings.None(
            "A #region: divide the file instead:",
            from file in Repository.Sources
            from trivia in file.Syntax.DescendantTrivia()
            where trivia.IsKind(SyntaxKind.RegionDirectiveTrivia)
            select file.At(trivia.GetLocation()));

    // The modifiers of a partial type may stand on any of its parts, which lie in one folder.
    private static List<TypeDeclarationSyntax> PartsOf(SourceFile file, TypeDeclarationSyntax type)
    {
        if (!type.Modifiers.Any(SyntaxKind.PartialKeyword))
            return [type];
        return [.. from other in Repository.Sources
                   where other.FolderNamespace == file.FolderNamespace
                   from part in other.Syntax.DescendantNodes().OfType<TypeDeclarationSyntax>()
                   where part.Identifier.Text == type.Identifier.Text
                   select part];
    }

    private static bool HasAny(List<TypeDeclarationSyntax> parts, params SyntaxKind[] kinds) =>
        parts.Exists(part => part.Modifiers.Any(modifier => kinds.Contains(modifier.Kind())));
}
