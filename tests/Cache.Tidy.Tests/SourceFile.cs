using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Cache.Tidy.Tests;

/// <summary>One C# file of the repository: its place, its lines and its syntax.</summary>
internal sealed class SourceFile
{
    /// <summary>How the build parses, and the debug build's code with it.</summary>
    public static CSharpParseOptions Options { get; } =
        CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Latest).WithPreprocessorSymbols("DEBUG");

    private SourceFile(string path, string text)
    {
        Path = path;
        Lines = text.Split('\n');
        Tree = CSharpSyntaxTree.ParseText(text, Options, path);
    }

    /// <summary>Relative to the repository, with forward slashes.</summary>
    public string Path { get; }

    public IReadOnlyList<string> Lines { get; }

    public SyntaxTree Tree { get; }

    public SyntaxNode Syntax => Tree.GetRoot();

    public bool IsIn(string folder) => Path.StartsWith(folder + "/", StringComparison.Ordinal);

    /// <summary>The folder's path with dots, without the first part: src/A.B/C/D.cs gives A.B.C.</summary>
    public string FolderNamespace => string.Join('.', Path.Split('/')[1..^1]);

    public static SourceFile Read(string path) => new(path, File.ReadAllText(Repository.Absolute(path)));

    /// <summary>Where a node stands, in the form that terminals and editors follow.</summary>
    public string At(SyntaxNodeOrToken node) => At(node.GetLocation()!);

    public string At(Location location) => At(location.GetLineSpan().StartLinePosition.Line + 1);

    public string At(int line) => $"{Path}:{line}";
}
