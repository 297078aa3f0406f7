using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Options in a section of the configuration.</summary>
/// <remarks>
/// Read key by key: without reflection, which trimming breaks, and without a binder package. An error in the section is
/// not an exception during configuration but a failure of validation, so that it is reported together with errors in
/// the values themselves. Messages name an option that the section sets by its path.
/// </remarks>
internal sealed class OptionsSection<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
    string nameOfOptions, IConfiguration section, IReadOnlyList<SectionKey<TOptions>> keys)
    : IConfigureNamedOptions<TOptions>, IValidateOptions<TOptions>
    where TOptions : class, new()
{
    // The whole configuration, if the container has it: to suggest the section that was meant.
    private IConfiguration? _root;

    public string NameOfOptions => nameOfOptions;

    /// <summary>Whether the section cannot be read; its values may be wrong too.</summary>
    public bool IsWrong => FindProblems().Count > 0;

    public void AddTo(IServiceCollection services)
    {
        services.AddSingleton(this)
            .AddSingleton<IConfigureOptions<TOptions>>(this)
            .AddSingleton<IValidateOptions<TOptions>>(provider => Within(provider.GetService<IConfiguration>()));
        services.TryAddTransient<IOptionsFactory<TOptions>, SectionOptionsFactory<TOptions>>();
    }

    public void Configure(TOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? optionsName, TOptions options)
    {
        if (optionsName == nameOfOptions)
            Apply(options);
    }

    public ValidateOptionsResult Validate(string? optionsName, TOptions options)
    {
        if (optionsName != nameOfOptions)
            return ValidateOptionsResult.Skip;
        var problems = FindProblems();
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }

    /// <summary>Whether the section's value for the option was refused: then the option has its default.</summary>
    public bool Refuses(string option) =>
        Find(option) is { } key && section.GetSection(option) is var entry && entry.Exists()
        && key.Set(entry, new TOptions()) is not null;

    /// <summary>Replaces, in a message, the names of options that the section sets by their paths.</summary>
    public string Translate(string message) => OptionNames.Replace(message, PathOf);

    private List<string> FindProblems()
    {
        var problems = Apply(new TOptions());
        if (section is not IConfigurationSection one || one.GetChildren().Any())
            return problems;
        problems.Add(
            !string.IsNullOrEmpty(one.Value)
                ? $"{one.Path} is '{one.Value}'; it must be a section, with keys such as {keys[0].Name}."
            : FindNearSection(one) is { } nearest
                ? $"{one.Path} is not a section of the configuration; did you mean {nearest}?"
                : $"{one.Path} is not a section of the configuration, or is empty; set a key of it, or register "
                    + "without a section for the defaults.");
        return problems;
    }

    private OptionsSection<TOptions> Within(IConfiguration? root)
    {
        _root = root;
        return this;
    }

    private string? FindNearSection(IConfigurationSection missing)
    {
        string? parent = ConfigurationPath.GetParentPath(missing.Path);
        var siblings = parent is null ? _root : _root?.GetSection(parent);
        if (siblings is null)
            return null;
        // An empty one is among them, and is not what was meant.
        var sections = siblings.GetChildren().Where(
            one => one.Value is null && !one.Key.Equals(missing.Key, StringComparison.OrdinalIgnoreCase));
        return NearestName.Find(missing.Key, sections.Select(static one => one.Key)) is { } nearest
            ? missing.Path[..^missing.Key.Length] + nearest
            : null;
    }

    private string? PathOf(string option)
    {
        var entry = section.GetSection(option);
        return entry.Exists() ? entry.Path : null;
    }

    /// <summary>Sets the options that the section has; the others stay as they are.</summary>
    /// <returns>The errors, which name keys by their paths.</returns>
    private List<string> Apply(TOptions options)
    {
        var problems = new List<string>();
        Apply(section, prefix: "", options, problems);
        return problems;
    }

    // The prefix is the path from the section to the parent, with a colon behind it.
    private void Apply(IConfiguration parent, string prefix, TOptions options, List<string> problems)
    {
        foreach (var entry in parent.GetChildren())
        {
            string name = prefix + entry.Key;
            if (Find(name) is { } key)
            {
                if (key.Set(entry, options) is { } problem)
                    problems.Add($"{entry.Path} {problem}.");
            }
            else if (IsSection(name) && entry.Value is null)
            {
                Apply(entry, name + ConfigurationPath.KeyDelimiter, options, problems);
            }
            else
            {
                problems.Add($"{entry.Path} is not a key of {typeof(TOptions).Name}; {Hint(name)}");
            }
        }
    }

    private bool IsSection(string name) =>
        keys.Any(key => key.Name.StartsWith(name + ConfigurationPath.KeyDelimiter, StringComparison.OrdinalIgnoreCase));

    private SectionKey<TOptions>? Find(string name)
    {
        foreach (var key in keys)
        {
            if (key.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
                return key;
        }

        return null;
    }

    private string Hint(string key)
    {
        var names = keys.Select(static known => known.Name);
        return NearestName.Find(key, names) is { } nearest
            ? $"did you mean {nearest}?"
            : $"its keys are {string.Join(", ", names)}.";
    }
}
