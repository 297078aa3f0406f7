using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>The server's own check of its options, in the form of the options framework.</summary>
/// <remarks>
/// If an option keeps the server from starting, unusable files and addresses are reported with it; otherwise the start
/// itself reports them.
/// </remarks>
internal sealed class RespServerOptionsValidator(IServiceProvider provider) : IValidateOptions<RespServerOptions>
{
    public ValidateOptionsResult Validate(string? name, RespServerOptions options)
    {
        var problems = options.FindProblems();
        if (problems.Count == 0 && !AreOthersWrong())
            return ValidateOptionsResult.Success;

        // An option whose value was refused has its default now.
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
