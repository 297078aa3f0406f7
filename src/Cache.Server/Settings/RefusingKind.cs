namespace Cache.Server.Settings;

/// <summary>
/// Accepts one value and refuses Redis's other ones, where a client or an operator would rely on a missing feature.
/// </summary>
/// <param name="inner">The values that Redis accepts.</param>
/// <param name="value">The only accepted value.</param>
/// <param name="reason">The reason for refusing the others.</param>
internal sealed class RefusingKind(ValueKind inner, string value, string reason) : ValueKind
{
    // There is one value.
    public override bool IsHarmless => true;

    public override string Parameter => Shown;

    public override string Rule => $"{Shown}: {reason}";

    public override string PageRule => $"`{Shown}` alone: {reason}";

    public override bool IsList => inner.IsList;

    public override bool TakesYesOrNo => inner.TakesYesOrNo;

    private string Shown => value.Length == 0 ? "\"\"" : value;

    public override string? FindProblem(string text) =>
        inner.FindProblem(text) ?? (inner.ToCanonical(text) == value ? null : reason);

    public override string ToCanonical(string text) => value;

    public override string ToLine(string canonical) => Shown;
}
