namespace Cache.Server.Settings;

/// <summary>What values a directive takes, and what is said of others.</summary>
/// <remarks>
/// A text is what a source gave: words of a line with a blank between them. Its canonical form is what CONFIG GET
/// shows. Every source asks the same kind, so that none takes what another refuses.
/// </remarks>
internal abstract class ValueKind
{
    /// <summary>What help and pages write for the value, such as "number".</summary>
    public abstract string Parameter { get; }

    /// <summary>What the value must be, as the end of a sentence: "an integer between 0 and 65535".</summary>
    public abstract string Rule { get; }

    /// <summary>The same on a page, which is the same on every machine.</summary>
    public virtual string PageRule => Rule;

    /// <summary>What to give where no value was given: "an integer between 0 and 65535", or "path".</summary>
    public virtual string Missing => Rule;

    /// <summary>Whether the value has several words.</summary>
    public virtual bool IsList => false;

    /// <summary>Whether yes and no are among the values.</summary>
    public virtual bool TakesYesOrNo => false;

    /// <summary>The least number, of a kind that is one.</summary>
    public virtual long Min => long.MinValue;

    /// <summary>The greatest number, of a kind that is one.</summary>
    public virtual long Max => long.MaxValue;

    /// <summary>Why the text is refused, in Redis's words; null: it is taken.</summary>
    public abstract string? FindProblem(string text);

    /// <summary>The value as CONFIG GET shows it.</summary>
    /// <param name="text">A text that is taken.</param>
    public virtual string ToCanonical(string text) => text;

    /// <summary>The value as CONFIG REWRITE writes it behind the name.</summary>
    /// <param name="canonical">The canonical form.</param>
    public virtual string ToLine(string canonical) => canonical;
}
