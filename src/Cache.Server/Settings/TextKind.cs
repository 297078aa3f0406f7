namespace Cache.Server.Settings;

/// <summary>Any text, or any words.</summary>
/// <param name="parameter">The value's placeholder, such as "path".</param>
internal sealed class TextKind(string parameter) : ValueKind
{
    private readonly bool _isList;

    /// <summary>Whether it is several words with separate meanings.</summary>
    public bool HasWords { init => _isList = value; }

    /// <summary>Whether it is one token even if it has blanks, and then is quoted in a line.</summary>
    public override bool IsList => _isList;

    public override string Parameter => parameter;

    public override string Rule => "any text";

    public override string Missing => parameter;

    public override string PageRule => "any";

    public override string? FindProblem(string text) => null;

    public override string ToLine(string canonical) => _isList ? canonical : SettingQuote.Of(canonical);
}
