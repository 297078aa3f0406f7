namespace Cache.Hosting.Configuration;

/// <summary>A directive and its values, as one of the sources gave them.</summary>
/// <param name="Name">The directive's name, as it was written.</param>
/// <param name="Values">At least one, unless the source left them out.</param>
/// <param name="Origin">Its place, for error messages.</param>
internal sealed record Setting(string Name, IReadOnlyList<string> Values, string Origin)
{
    public string Text => string.Join(' ', Values);

    /// <summary>Its place and its name there: the beginning of a message.</summary>
    public string Label { get => field ?? $"{Origin}: {Name}"; init; }

    /// <summary>Whether it comes from a file that wins over all other sources.</summary>
    public bool IsOverride { get; init; }

    /// <summary>Whether another program has set it, with another meaning: it is ignored.</summary>
    public bool IsForeign { get; init; }

    /// <summary>The error with the value and the rule.</summary>
    public SettingException Wrong(string rule) => new($"{Label} is '{Text}'; it must be {rule}.");
}
