using Microsoft.Extensions.Options;

namespace Cache.Near.DependencyInjection;

/// <summary>The near cache's own check of its options, as the options framework wants it.</summary>
internal sealed class NearCacheOptionsValidator : IValidateOptions<NearCacheOptions>
{
    public ValidateOptionsResult Validate(string? name, NearCacheOptions options)
    {
        var problems = options.FindProblems();
        return problems.Count == 0
            ? ValidateOptionsResult.Success
            : ValidateOptionsResult.Fail(problems.Select(problem => $"{nameof(NearCacheOptions)}.{problem}"));
    }
}
