using Microsoft.CodeAnalysis;

namespace Cache.Tidy.Tests;

/// <summary>Bans that hold in some folders only. Those that hold in all of src/ are in eng/BannedSymbols.txt.</summary>
public sealed class BannedCallTests
{
    // Where a call runs per operation or per read of a socket.
    private static readonly string[] s_hotFolders =
    [
        "src/Cache.Core/Contracts", "src/Cache.Core/Sharding", "src/Cache.Core/Layout", "src/Cache.Core/Eviction",
        "src/Cache.Core/Expiry", "src/Cache.Core/Hashing", "src/Cache.Core/Collections", "src/Cache.Core/Distributed",
        "src/Cache.Server/Transport", "src/Cache.Server/Connections", "src/Cache.Server/Protocol", "src/Cache.Protocol",
        "src/Cache.Server/Commands", "src/Cache.AspNetCore",
    ];

    [Fact]
    public void HotFolders_UseLoopsNotLinq() =>
        Findings.None(
            "LINQ in a hot folder; write the loop:",
            from project in SourceProject.All
            from file in project.Files
            where s_hotFolders.Any(file.IsIn)
            from named in project.NamedTypes(file)
            where named.Type.ContainingNamespace?.ToDisplayString() == "System.Linq"
            select $"{file.At(named.Node)}: {named.Symbol.Name}");

    [Fact]
    public void Protocol_ComparesBytesNotStrings() =>
        Findings.None(
            "A string made of a request's bytes in Protocol; compare the bytes:",
            from file in SourceProject.Server.Files
            where file.IsIn("src/Cache.Server/Protocol")
            from named in SourceProject.Server.NamedTypes(file)
            where named.Symbol is IMethodSymbol { Name: "GetString", ContainingType.Name: "Encoding" or "UTF8Encoding" }
            select file.At(named.Node));
}
