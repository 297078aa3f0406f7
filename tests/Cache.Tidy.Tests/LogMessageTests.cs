using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

/// <summary>What operators filter logs by.</summary>
public sealed class LogMessageTests
{
    [Fact]
    public void EventIds_AreUsedOnceInAnAssembly() =>
        Findings.None(
            "A log message with the event id of another one of its assembly, or without one:",
            from file in Repository.Sources
            where file.IsIn("src") || file.IsIn("samples")
            from attribute in file.Syntax.DescendantNodes().OfType<AttributeSyntax>()
            where attribute.Name.ToString() == "LoggerMessage"
            let id = attribute.ArgumentList?.Arguments.FirstOrDefault()
            let place = (At: file.At(attribute), Id: id is { NameEquals: null } ? id.ToString() : "none")
            group place by (Assembly: string.Join('/', file.Path.Split('/')[..2]), place.Id) into same
            where same.Count() > 1 || same.Key.Id == "none"
            from place in same
            select $"{place.At}: {place.Id}");
}
