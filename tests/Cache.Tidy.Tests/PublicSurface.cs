using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Cache.Tidy.Tests;

/// <summary>What a built assembly offers to others, one declaration a line.</summary>
internal static class PublicSurface
{
    private static readonly SymbolDisplayFormat s_memberFormat = new(
        SymbolDisplayGlobalNamespaceStyle.Omitted,
        SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        SymbolDisplayGenericsOptions.IncludeTypeParameters | SymbolDisplayGenericsOptions.IncludeTypeConstraints,
        SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType
            | SymbolDisplayMemberOptions.IncludeRef | SymbolDisplayMemberOptions.IncludeContainingType
            | SymbolDisplayMemberOptions.IncludeModifiers | SymbolDisplayMemberOptions.IncludeConstantValue
            | SymbolDisplayMemberOptions.IncludeExplicitInterface,
        SymbolDisplayDelegateStyle.NameAndSignature,
        SymbolDisplayExtensionMethodStyle.StaticMethod,
        SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
            | SymbolDisplayParameterOptions.IncludeParamsRefOut | SymbolDisplayParameterOptions.IncludeDefaultValue
            | SymbolDisplayParameterOptions.IncludeExtensionThis,
        SymbolDisplayPropertyStyle.ShowReadWriteDescriptor,
        SymbolDisplayLocalOptions.None,
        SymbolDisplayKindOptions.IncludeTypeKeyword,
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes
            | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
            | SymbolDisplayMiscellaneousOptions.AllowDefaultLiteral);

    public static List<string> Read(string assembly)
    {
        string[] platform = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        var compilation = CSharpCompilation.Create(
            "Surface", references: platform.Select(path => MetadataReference.CreateFromFile(path)));
        var module = compilation.References.Select(compilation.GetAssemblyOrModuleSymbol)
            .OfType<IAssemblySymbol>().Single(one => one.Name == assembly);
        return
        [
            .. TypesOf(module.GlobalNamespace)
                .OrderBy(type => type.ToDisplayString(), StringComparer.Ordinal).SelectMany(Declarations),
        ];
    }

    private static IEnumerable<INamedTypeSymbol> TypesOf(INamespaceOrTypeSymbol container)
    {
        foreach (var member in container.GetMembers().OfType<INamespaceOrTypeSymbol>())
        {
            if (member is INamedTypeSymbol type && IsVisible(type))
                yield return type;
            if (member is INamespaceSymbol || IsVisible(member))
            {
                foreach (var nested in TypesOf(member))
                    yield return nested;
            }
        }
    }

    private static IEnumerable<string> Declarations(INamedTypeSymbol type)
    {
        yield return Declaration(type);
        if (type.TypeKind == TypeKind.Delegate)
            yield break;
        var members = from member in type.GetMembers()
                      where member is not INamedTypeSymbol && IsVisible(member) && IsWritten(member)
                      select "    " + member.ToDisplayString(s_memberFormat);
        foreach (string member in members.Order(StringComparer.Ordinal))
            yield return member;
    }

    private static string Declaration(INamedTypeSymbol type)
    {
        string modifiers = type switch
        {
            { TypeKind: TypeKind.Class, IsStatic: true } => "static ",
            { TypeKind: TypeKind.Class, IsSealed: true } => "sealed ",
            { TypeKind: TypeKind.Class, IsAbstract: true } => "abstract ",
            { TypeKind: TypeKind.Struct, IsReadOnly: true } => "readonly ",
            _ => "",
        };
        string reference = type.IsRefLikeType ? "ref " : "";
        string bases = string.Join(", ", type.Interfaces.Prepend(type.BaseType)
            .Where(one => one != null && IsVisible(one) && one.SpecialType is SpecialType.None)
            .Select(one => one!.ToDisplayString(s_memberFormat.WithKindOptions(SymbolDisplayKindOptions.None))));
        return $"{modifiers}{reference}{type.ToDisplayString(s_memberFormat)}{(bases.Length > 0 ? " : " : "")}{bases}";
    }

    private static bool IsVisible(ISymbol symbol) =>
        symbol.DeclaredAccessibility
            is Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal;

    // Accessors show on their property, and what a record is given shows on its type's interfaces.
    private static bool IsWritten(ISymbol member) =>
        member is not IMethodSymbol
        {
            MethodKind: MethodKind.PropertyGet or MethodKind.PropertySet
            or MethodKind.EventAdd or MethodKind.EventRemove
        }
        && !member.IsImplicitlyDeclared
        && !(member is IMethodSymbol && IsGenerated(member));

    private static bool IsGenerated(ISymbol member) =>
        member.GetAttributes().Any(one => one.AttributeClass?.Name == "CompilerGeneratedAttribute");
}
