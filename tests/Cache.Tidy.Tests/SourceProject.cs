using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

/// <summary>A project of src/ compiled in memory, so that a name can be asked what it means.</summary>
/// <remarks>
/// A `using` directive is not enough to see an arrow: Cache.Core.Layout sees what Cache.Core declares without one.
/// Source generators do not run here; the bodies that they give to partial methods hold no arrow of ours.
/// </remarks>
internal sealed class SourceProject
{
    // What the SDK's ImplicitUsings adds.
    private const string ImplicitUsings =
        "global using System; global using System.Collections.Generic; global using System.IO;"
        + "global using System.Linq; global using System.Net.Http; global using System.Threading;"
        + "global using System.Threading.Tasks;";

    private static readonly Dictionary<string, MetadataReference> s_platform = ReadPlatform();

    private readonly CSharpCompilation _compilation;

    private SourceProject(string name, params string[] references)
    {
        Name = name;
        Files = [.. Repository.Sources.Where(file => file.IsIn($"src/{name}"))];
        var seen = from assembly in s_platform
                   where !assembly.Key.StartsWith("Cache.") || references.Contains(assembly.Key)
                   select assembly.Value;
        _compilation = CSharpCompilation.Create(
            name,
            [.. Files.Select(file => file.Tree), CSharpSyntaxTree.ParseText(ImplicitUsings, SourceFile.Options)],
            seen,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    }

    public static SourceProject Core { get; } = new("Cache.Core");

    public static SourceProject Server { get; } =
        new("Cache.Server", "Cache.Core", "Cache.Durability", "Cache.Protocol");

    public static IReadOnlyList<SourceProject> All { get; } = Available();

    public string Name { get; }

    public IReadOnlyList<SourceFile> Files { get; }

    public IEnumerable<Diagnostic> Errors =>
        _compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);

    /// <summary>Every place in a file where a type, or a member of one, is named, with that type.</summary>
    public IEnumerable<(SyntaxNode Node, INamedTypeSymbol Type, ISymbol Symbol)> NamedTypes(SourceFile file)
    {
        var model = _compilation.GetSemanticModel(file.Tree);
        foreach (var node in file.Syntax.DescendantNodes().OfType<SimpleNameSyntax>())
        {
            var symbol = model.GetSymbolInfo(node).Symbol;
            var type = symbol as INamedTypeSymbol ?? symbol?.ContainingType;
            if (type != null)
                yield return (node, type, symbol!);
        }
    }

    /// <summary>The methods of a file, each with what says what its names mean.</summary>
    public IEnumerable<(MethodDeclarationSyntax Method, SemanticModel Model)> MethodsOf(SourceFile file)
    {
        var model = _compilation.GetSemanticModel(file.Tree);
        return file.Syntax.DescendantNodes().OfType<MethodDeclarationSyntax>().Select(method => (method, model));
    }

    private static List<SourceProject> Available()
    {
        List<SourceProject> projects = [Core, Server, new SourceProject("Cache.Protocol")];
        projects.Add(new SourceProject("Cache.Client", "Cache.Protocol"));
        projects.Add(new SourceProject("Cache.Near", "Cache.Core", "Cache.Protocol", "Cache.Client"));
        projects.Add(new SourceProject("Cache.Scripting", "Cache.Core", "Cache.Protocol", "Cache.Server"));
        if (Repository.Sources.Any(file => file.IsIn("src/Cache.Hosting")))
            projects.Add(new SourceProject("Cache.Hosting", "Cache.Core", "Cache.Durability", "Cache.Server"));
        if (Repository.Sources.Any(file => file.IsIn("src/Cache.AspNetCore")))
            projects.Add(new SourceProject("Cache.AspNetCore", "Cache.Core"));
        if (Repository.Sources.Any(file => file.IsIn("src/Cache.Dashboard")))
            projects.Add(new SourceProject("Cache.Dashboard", "Cache.Core", "Cache.Durability", "Cache.Server"));
        if (Repository.Sources.Any(file => file.IsIn("src/Cache.Durability")))
            projects.Add(new SourceProject("Cache.Durability", "Cache.Core"));
        if (Repository.Sources.Any(file => file.IsIn("src/Cache.Tool")))
            projects.Add(new SourceProject(
                "Cache.Tool", "Cache.Core", "Cache.Durability", "Cache.Server", "Cache.Scripting", "Cache.Hosting",
                "Cache.Dashboard"));
        return projects;
    }

    private static Dictionary<string, MetadataReference> ReadPlatform()
    {
        string assemblies = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        return assemblies.Split(Path.PathSeparator).DistinctBy(Path.GetFileName).ToDictionary(
            path => Path.GetFileNameWithoutExtension(path),
            path => (MetadataReference)MetadataReference.CreateFromFile(path));
    }
}
