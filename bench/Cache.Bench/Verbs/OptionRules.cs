using System.CommandLine;

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
}
