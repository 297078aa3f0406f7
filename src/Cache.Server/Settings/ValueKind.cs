namespace Cache.Server.Settings;

/// <summary>The values that a directive accepts, and the errors for others.</summary>
/// <remarks>
/// A text comes from a source: the words of a line with a blank between them. Its canonical form is the one that CONFIG
/// GET shows. All sources use the same kind, so that none accepts what another refuses.
/// </remarks>
internal abstract class ValueKind
{
    /// <summary>The value's placeholder in help and pages, such as "number".</summary>
    public abstract string Parameter { get; }

    /// <summary>The rule for the value, as the end of a sentence: "an integer between 0 and 65535".</summary>
    public abstract string Rule { get; }

    /// <summary>The rule on a page, independent of the machine.</summary>
    public virtual string PageRule => Rule;

    /// <summary>What to add if the value is missing: "an integer between 0 and 65535", or "path".</summary>
    public virtual string Missing => Rule;

    /// <summary>Whether the value has several words.</summary>
    public virtual bool IsList => false;

    /// <summary>
    /// Whether no value can tell of a person, a place or a secret: numbers, and names of a fixed list.
    /// </summary>
    public virtual bool IsHarmless => false;

    /// <summary>Whether yes and no are among the values.</summary>
    public virtual bool TakesYesOrNo => false;

    /// <summary>The least number, for kinds of numbers.</summary>
    public virtual long Min => long.MinValue;

    /// <summary>The greatest number, for kinds of numbers.</summary>
    public virtual long Max => long.MaxValue;

    /// <summary>The error of a text, in Redis's words; null: it is accepted.</summary>
    public abstract string? FindProblem(string text);

    /// <summary>The value as CONFIG GET shows it.</summary>
    /// <param name="text">An accepted text.</param>
    public virtual string ToCanonical(string text) => text;

    /// <summary>The value as CONFIG REWRITE writes it behind the name.</summary>
    /// <param name="canonical">The canonical form.</param>
    public virtual string ToLine(string canonical) => canonical;
}
