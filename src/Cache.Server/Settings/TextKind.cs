namespace Cache.Server.Settings;

/// <summary>Any text, or any words.</summary>
/// <param name="parameter">What it is, such as "path".</param>
internal sealed class TextKind(string parameter) : ValueKind
{
    private readonly bool _isList;

    /// <summary>Whether it is words with blanks between them, each with a meaning of its own.</summary>
    public bool HasWords { init => _isList = value; }

    /// <summary>Whether it is one token of a line even where blanks are part of it, and so is quoted there.</summary>
    public override bool IsList => _isList;

    public override string Parameter => parameter;

    public override string Rule => "any text";

    public override string Missing => parameter;

    public override string PageRule => "any";

    public override string? FindProblem(string text) => null;

    public override string ToLine(string canonical) => _isList ? canonical : SettingQuote.Of(canonical);
}
