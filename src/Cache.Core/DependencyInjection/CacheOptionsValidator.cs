using Microsoft.Extensions.Options;

namespace Cache.Core.DependencyInjection;

/// <summary>The store's own check of its options, in the form of the options framework.</summary>
internal sealed class CacheOptionsValidator : IValidateOptions<CacheOptions>
{
    public ValidateOptionsResult Validate(string? name, CacheOptions options)
    {
        var problems = options.FindProblems();
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }
}
