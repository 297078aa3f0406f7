namespace Cache.Server.Settings;

/// <summary>
/// One value alone: of what Redis offers more, where a client or an operator would rely on what there is not.
/// </summary>
/// <param name="inner">What Redis takes.</param>
/// <param name="value">What is taken here.</param>
/// <param name="reason">Why nothing else is.</param>
internal sealed class RefusingKind(ValueKind inner, string value, string reason) : ValueKind
{
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
