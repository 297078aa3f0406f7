using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>An integer within bounds, written as Redis writes one: no plus sign, no zero in front.</summary>
/// <param name="min">The least.</param>
/// <param name="max">The greatest.</param>
/// <param name="unit">The unit, as help names the value.</param>
internal sealed class NumberKind(long min, long max, string unit = "number") : ValueKind
{
    public override long Min => min;

    public override long Max => max;

    public override bool IsHarmless => true;

    public override string Parameter => unit;

    public override string Rule =>
        string.Create(CultureInfo.InvariantCulture, $"an integer between {min} and {max}");

    /// <summary>Whether the number is within the bounds.</summary>
    public bool Has(long value) => value >= min && value <= max;

    public override string? FindProblem(string text)
    {
        if (!TryParse(text, out long value))
            return "argument couldn't be parsed into an integer";
        return Has(value)
            ? null
            : string.Create(CultureInfo.InvariantCulture, $"argument must be between {min} and {max} inclusive");
    }

    /// <summary>Reads an integer of 64 bits in its only valid form.</summary>
    public static bool TryParse(string text, out long value) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value)
        && value.ToString(CultureInfo.InvariantCulture) == text;
}
