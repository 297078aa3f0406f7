using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>The server's own check of its options, as the options framework wants it.</summary>
/// <remarks>
/// Where anything keeps the server from starting, the files and addresses that would as well are told of at once;
/// otherwise the start itself tells of them.
/// </remarks>
internal sealed class RespServerOptionsValidator(IServiceProvider provider) : IValidateOptions<RespServerOptions>
{
    public ValidateOptionsResult Validate(string? name, RespServerOptions options)
    {
        var problems = options.FindProblems();
        if (problems.Count == 0 && !AreOthersWrong())
            return ValidateOptionsResult.Success;

        // The current value of an option whose value was refused is a default.
        var sections = provider.GetServices<OptionsSection<RespServerOptions>>().ToList();
        var others = options.FindStartProblems().Where(problem =>
            !OptionNames.FindAll(problem).Any(option => sections.Exists(one => one.Refuses(option))));
        string[] all = [.. problems, .. others];
        return all.Length == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(all);
    }

    private bool AreOthersWrong()
    {
        try
        {
            _ = provider.GetRequiredService<IOptions<CacheOptions>>().Value;
            return provider.GetServices<OptionsSection<RespServerOptions>>().Any(static section => section.IsWrong);
        }
        catch (OptionsValidationException)
        {
            return true;
        }
    }
}
