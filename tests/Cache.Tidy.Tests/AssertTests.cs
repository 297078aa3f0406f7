using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Cache.Tidy.Tests;

/// <summary>Where memory is changed under locks or by pointers, methods say what must hold.</summary>
/// <remarks>
/// The figure of a folder: calls of Debug.Assert, AddressCheck.InRange, or a method of ours that begins with Assert,
/// within methods that change something, divided by the number of these methods. A method changes something if it
/// writes to a field, a property, an element or through a reference, or by Interlocked or Volatile.Write. What it
/// writes to its own variables, or hands out, does not count; nor do constructors.
/// </remarks>
public sealed class AssertTests
{
    // A bound is what was reached, or a little less, and may only rise.
    private static readonly Dictionary<string, double> s_assertsMin = new()
    {
        ["Cache.Core.Sharding"] = 0.85,
        ["Cache.Core.Log"] = 1,
        ["Cache.Core.Layout"] = 0.8,
        ["Cache.Protocol"] = 0.7,
        ["Cache.Server.Protocol"] = 0.7,
    };

    [Fact]
    public void MethodsThatChangeSomething_SayWhatHolds() =>
        Findings.None(
            "Fewer asserts than there were, for each method that changes something; say what must hold there:",
            from project in SourceProject.All
            from folder in project.Files.GroupBy(file => file.FolderNamespace)
            where s_assertsMin.ContainsKey(folder.Key)
            let counts = folder.SelectMany(project.MethodsOf).Where(Changes).Select(CountAsserts).ToList()
            let figure = (double)counts.Sum() / counts.Count
            where figure < s_assertsMin[folder.Key]
            select string.Create(
                CultureInfo.InvariantCulture,
                $"{folder.Key}: {counts.Sum()} in {counts.Count} methods, {figure:0.00}, at least ")
                + s_assertsMin[folder.Key].ToString(CultureInfo.InvariantCulture));

    private static int CountAsserts((MethodDeclarationSyntax Method, SemanticModel Model) method) =>
        method.Method.DescendantNodes().OfType<InvocationExpressionSyntax>().Count(call => call.Expression switch
        {
            MemberAccessExpressionSyntax member => member.ToString() == "AddressCheck.InRange"
                || member.Name.Identifier.Text.StartsWith("Assert", StringComparison.Ordinal),
            IdentifierNameSyntax name => name.Identifier.Text.StartsWith("Assert", StringComparison.Ordinal),
            _ => false,
        });

    private static bool Changes((MethodDeclarationSyntax Method, SemanticModel Model) method) =>
        method.Method.DescendantNodes().Any(node => node switch
        {
            AssignmentExpressionSyntax { Parent: not InitializerExpressionSyntax } assignment =>
                Targets(assignment.Left).Any(target => IsShared(target, method.Model)),
            PostfixUnaryExpressionSyntax unary when unary.IsKind(SyntaxKind.PostIncrementExpression)
                || unary.IsKind(SyntaxKind.PostDecrementExpression) => IsShared(unary.Operand, method.Model),
            PrefixUnaryExpressionSyntax unary when unary.IsKind(SyntaxKind.PreIncrementExpression)
                || unary.IsKind(SyntaxKind.PreDecrementExpression) => IsShared(unary.Operand, method.Model),
            InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax call } =>
                call.ToString() is "Volatile.Write" || call.Expression.ToString() == "Interlocked",
            _ => false,
        });

    private static IEnumerable<ExpressionSyntax> Targets(ExpressionSyntax target) =>
        target is TupleExpressionSyntax tuple
        ? tuple.Arguments.SelectMany(argument => Targets(argument.Expression))
        : [target];

    /// <summary>Whether a target is more than a variable of the method.</summary>
    private static bool IsShared(ExpressionSyntax target, SemanticModel model)
    {
        var symbol = model.GetSymbolInfo(target).Symbol;
        if (symbol is ILocalSymbol local)
            return local.IsRef;
        if (symbol is IParameterSymbol parameter)
            return parameter.RefKind == RefKind.Ref;
        if (symbol is not (IFieldSymbol or IPropertySymbol))
            return target is ElementAccessExpressionSyntax or PrefixUnaryExpressionSyntax or InvocationExpressionSyntax;
        return target is not MemberAccessExpressionSyntax member
            || model.GetTypeInfo(member.Expression).Type is not { IsReferenceType: false }
            || IsShared(member.Expression, model);
    }
}
