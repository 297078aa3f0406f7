using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>An amount of memory within bounds: bytes, or a number with a unit as 512mb.</summary>
/// <param name="min">The least number of bytes.</param>
/// <param name="max">The greatest.</param>
internal sealed class MemoryKind(long min, long max) : ValueKind
{
    private const int Percent = 100;

    /// <summary>The meaning of 0, which is then accepted besides the range; null: 0 is a value like others.</summary>
    public string? ZeroMeans { get; init; }

    /// <summary>The whole of a percentage, such as "maxmemory"; null: no percentage is accepted.</summary>
    public string? Whole { get; init; }

    /// <summary>The greatest amount as pages show it, if it depends on the machine.</summary>
    public string? MaxName { get; init; }

    /// <summary>Whether an error mentions percentages, as in Redis where it accepts them itself.</summary>
    public bool NamesPercent { get; init; }

    public override long Min => min;

    public override long Max => max;

    public override bool IsHarmless => true;

    public override string Parameter => "bytes";

    public override string Rule => RuleUpTo(MemorySize.Format(max));

    public override string PageRule =>
        RuleUpTo(MaxName ?? MemorySize.Format(max)) + (Whole is null ? "" : $" of {Whole}");

    /// <summary>Whether the amount is within the bounds, or is a 0 with a meaning of its own.</summary>
    public bool Has(long bytes) => (bytes >= min && bytes <= max) || (bytes == 0 && ZeroMeans is not null);

    public override string? FindProblem(string text)
    {
        if (Whole is not null && text.EndsWith('%'))
        {
            if (!TryParsePercent(text, out int percent))
                return NotMemory;
            return percent > Percent ? "percentage argument must be less or equal to 100" : null;
        }

        if (!MemorySize.TryParse(text, out long bytes))
            return NotMemory;
        return Has(bytes)
            ? null
            : string.Create(CultureInfo.InvariantCulture, $"argument must be between {min} and {max} inclusive");
    }

    public override string ToCanonical(string text)
    {
        if (!text.EndsWith('%'))
            return MemorySize.TryParse(text, out long bytes) ? bytes.ToString(CultureInfo.InvariantCulture) : text;
        return TryParsePercent(text, out int percent) && percent == 0 ? "0" : text;
    }

    public override string ToLine(string canonical) =>
        long.TryParse(canonical, NumberStyles.None, CultureInfo.InvariantCulture, out long bytes)
            ? MemorySize.ToExact(bytes)
            : canonical;

    /// <summary>Reads "25%": the number, which may be above 100.</summary>
    public static bool TryParsePercent(string text, out int percent)
    {
        percent = 0;
        if (!text.EndsWith('%') || !NumberKind.TryParse(text[..^1], out long value) || value is < 0 or > int.MaxValue)
            return false;
        percent = (int)value;
        return true;
    }

    private string NotMemory =>
        NamesPercent ? "argument must be a memory or percent value" : "argument must be a memory value";

    private string RuleUpTo(string most)
    {
        string zero = ZeroMeans is null ? "" : $"0 ({ZeroMeans}) or ";
        string percent = Whole is null ? "" : " or 25%";
        return $"{zero}an amount of memory between {MemorySize.Format(min)} and {most}, such as 512mb{percent}";
    }
}
