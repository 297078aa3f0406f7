using Microsoft.Extensions.Options;

namespace Cache.Near.DependencyInjection;

/// <summary>The options' own check, as the options framework wants it.</summary>
internal sealed class HybridCoherenceOptionsValidator : IValidateOptions<HybridCoherenceOptions>
{
    public ValidateOptionsResult Validate(string? name, HybridCoherenceOptions options)
    {
        var problems = options.FindProblems();
        return problems.Count == 0
            ? ValidateOptionsResult.Success
            : ValidateOptionsResult.Fail(problems.Select(problem => $"{nameof(HybridCoherenceOptions)}.{problem}"));
    }
}
