using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Cache.Documentation.Tests;

/// <summary>Compiles a block as the Program.cs of a new project that references the packages.</summary>
internal static partial class SnippetCompiler
{
    // What `dotnet new console`, `worker` and `web` have open, and nothing else.
    private const string ConsoleUsings =
        "global using System; global using System.Collections.Generic; global using System.IO;"
        + "global using System.Linq; global using System.Net.Http; global using System.Threading;"
        + "global using System.Threading.Tasks;";

    private const string WorkerUsings =
        ConsoleUsings
        + "global using Microsoft.Extensions.Configuration; global using Microsoft.Extensions.DependencyInjection;"
        + "global using Microsoft.Extensions.Hosting; global using Microsoft.Extensions.Logging;";

    private const string WebUsings =
        WorkerUsings
        + "global using System.Net.Http.Json; global using Microsoft.AspNetCore.Builder;"
        + "global using Microsoft.AspNetCore.Hosting; global using Microsoft.AspNetCore.Http;"
        + "global using Microsoft.AspNetCore.Routing;";

    private const string SnippetMark = "// SNIPPET";

    private static readonly List<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .DistinctBy(Path.GetFileName).Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>The program and what the compiler says against it.</summary>
    public static (Assembly? Program, IReadOnlyList<string> Errors) Compile(string text, string? surroundings)
    {
        string program = surroundings == null ? text : Within(text, surroundings);
        var compilation = CSharpCompilation.Create(
            $"Snippet{Guid.NewGuid():N}",
            [CSharpSyntaxTree.ParseText(program), CSharpSyntaxTree.ParseText(UsingsOf(program))],
            s_references,
            new CSharpCompilationOptions(
                OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
        using var image = new MemoryStream();
        var result = compilation.Emit(image);
        List<string> errors =
        [
            .. from diagnostic in result.Diagnostics
               where diagnostic.Severity == DiagnosticSeverity.Error
               select diagnostic.ToString(),
        ];
        return (result.Success ? Assembly.Load(image.ToArray()) : null, errors);
    }

    // Usings of the block come first, as its reader puts them.
    private static string Within(string text, string surroundings)
    {
        string file = Path.Combine(AppContext.BaseDirectory, "Surroundings", surroundings + ".txt");
        string usings = string.Concat(Using().Matches(text).Select(match => match.Value));
        return usings + File.ReadAllText(file).Replace(SnippetMark, Using().Replace(text, ""));
    }

    private static string UsingsOf(string program) =>
        program.Contains("WebApplication") ? WebUsings
        : program.Contains("Host.CreateApplicationBuilder") ? WorkerUsings
        : ConsoleUsings;

    [GeneratedRegex(@"^using [\w.]+;.*\n", RegexOptions.Multiline)]
    private static partial Regex Using();
}
