using System.CommandLine;
using System.CommandLine.Parsing;

namespace Cache.Bench.Verbs;

/// <summary>Rules that an option's value must keep, told to the user by name, value and range.</summary>
internal static class OptionRules
{
    public static void RequireAtLeast(this Option<int> option, int min) => option.Validators.Add(result =>
    {
        int value = result.GetValue(option);
        if (value < min)
            result.AddError($"{option.Name} is {value}; it must be at least {min}.");
    });

    public static void RequireBetween(this Option<int> option, int min, int max) => option.Validators.Add(result =>
    {
        int value = result.GetValue(option);
        if (value < min || value > max)
            result.AddError($"{option.Name} is {value}; it must be between {min} and {max}.");
    });

    public static void RequireFile(this Option<string> option) => option.Validators.Add(
        result => RequireFiles(result, option.Name, [result.GetValue(option)]));

    public static void RequireFiles(this Option<string[]> option) => option.Validators.Add(
        result => RequireFiles(result, option.Name, result.GetValue(option) ?? []));

    /// <summary>A verb with nothing to do would print a table without rows.</summary>
    public static void RequireAnyOf(this Command verb, params Option[] options) => verb.Validators.Add(result =>
    {
        if (!options.Any(one => result.GetResult(one) is { Implicit: false }))
            result.AddError($"Give {string.Join(" or ", options.Select(static one => one.Name))}: what to replay.");
    });

    // A pattern that matches nothing comes as it is.
    private static void RequireFiles(SymbolResult result, string option, IEnumerable<string?> paths)
    {
        foreach (string? path in paths)
        {
            if (!File.Exists(path))
            {
                result.AddError(
                    $"{option} is '{path}', which is no file; bench/README.md says where traces come from.");
            }
        }
    }
}
