using Cache.Server;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>The server's own check of its options, as the options framework wants it.</summary>
internal sealed class RespServerOptionsValidator : IValidateOptions<RespServerOptions>
{
    public ValidateOptionsResult Validate(string? name, RespServerOptions options)
    {
        var problems = options.FindProblems();
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }
}
