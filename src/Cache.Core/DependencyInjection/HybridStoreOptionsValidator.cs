using Cache.Core.Hybrid;
using Microsoft.Extensions.Options;

namespace Cache.Core.DependencyInjection;

/// <summary>The hybrid cache's own check of its options, as the options framework wants it.</summary>
internal sealed class HybridStoreOptionsValidator : IValidateOptions<HybridStoreOptions>
{
    public ValidateOptionsResult Validate(string? name, HybridStoreOptions options)
    {
        var problems = options.FindProblems();
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }
}
