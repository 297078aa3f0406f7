using Microsoft.Extensions.Options;

namespace Cache.Durability.DependencyInjection;

/// <summary>Lets the host refuse options that are out of their range.</summary>
internal sealed class DurabilityOptionsValidator : IValidateOptions<DurabilityOptions>
{
    public ValidateOptionsResult Validate(string? name, DurabilityOptions options) =>
        options.FindProblems() is { Count: > 0 } problems
            ? ValidateOptionsResult.Fail(problems)
            : ValidateOptionsResult.Success;
}
