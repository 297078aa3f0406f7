namespace Cache.Hosting.Configuration;

/// <summary>A directive and its values, as one of the sources gave them.</summary>
/// <param name="Name">The directive's name, as it was written.</param>
/// <param name="Values">At least one, unless the source left them out.</param>
/// <param name="Origin">Where it stands, for the message that says what is wrong with it.</param>
internal sealed record Setting(string Name, IReadOnlyList<string> Values, string Origin)
{
    public string Text => string.Join(' ', Values);

    /// <summary>Where it stands and how it is called there, with which a message begins.</summary>
    public string Label { get => field ?? $"{Origin}: {Name}"; init; }

    /// <summary>Whether somebody made it who means something else by the name: it is not taken.</summary>
    public bool IsForeign { get; init; }

    /// <summary>The error that says what the value is and what it should be.</summary>
    public SettingException Wrong(string rule) => new($"{Label} is '{Text}'; it must be {rule}.");
}
