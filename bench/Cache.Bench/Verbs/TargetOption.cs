using System.CommandLine;
using System.Net;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>The server that a verb measures.</summary>
internal sealed class TargetOption : Option<string>
{
    public TargetOption(string needs = "")
        : base("--target")
    {
        Required = true;
        Description = $"The server: HOST:PORT or unix:PATH. {needs}".TrimEnd();
        Validators.Add(static result =>
        {
            string target = result.GetValueOrDefault<string>();
            if (!LoadOptions.TryParseTarget(target, out _))
                result.AddError($"--target is '{target}'; it must be HOST:PORT or unix:PATH.");
        });
    }

    public EndPoint ReadFrom(ParseResult arguments)
    {
        LoadOptions.TryParseTarget(arguments.GetRequiredValue(this), out var target);
        return target;
    }
}
