namespace Cache.Server.Settings;

/// <summary>Values with a form of their own.</summary>
/// <param name="parameter">The value's placeholder in help.</param>
/// <param name="rule">The rule, as the end of a sentence.</param>
/// <param name="findProblem">Why a text is refused, or null.</param>
internal sealed class CheckedKind(string parameter, string rule, Func<string, string?> findProblem) : ValueKind
{
    private readonly bool _isList;
    private readonly bool _isHarmless;

    /// <summary>Returns the canonical form; null: the text as given.</summary>
    public Func<string, string>? Canonical { get; init; }

    public bool HasWords { init => _isList = value; }

    public override bool IsList => _isList;

    /// <summary>Whether the form admits numbers and names of a fixed list only.</summary>
    public bool HasNoText { init => _isHarmless = value; }

    public override bool IsHarmless => _isHarmless;

    public override long Min => Bounds.Min;

    public override long Max => Bounds.Max;

    /// <summary>The bounds of the number in it, for the option.</summary>
    public (long Min, long Max) Bounds { get; init; } = (long.MinValue, long.MaxValue);

    public override string Parameter => parameter;

    public override string Rule => rule;

    public override string? FindProblem(string text) => findProblem(text);

    public override string ToCanonical(string text) => Canonical?.Invoke(text) ?? text;

    public override string ToLine(string canonical) =>
        !_isList || canonical.Length == 0 ? SettingQuote.Of(canonical) : canonical;
}
