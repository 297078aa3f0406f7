namespace Cache.Server.Settings;

/// <summary>The permission bits of a file, in octal; 0: the process's mask decides.</summary>
internal sealed class ModeKind : ValueKind
{
    private const int Octal = 8;
    private const int ModeMax = 0b111_111_111;
    private const int DigitsMax = 10;

    public override bool IsHarmless => true;

    public override string Parameter => "mode";

    public override string Rule => "an octal number between 0 and 777, such as 700";

    public override string? FindProblem(string text)
    {
        if (text.Length is 0 or > DigitsMax || text.AsSpan().ContainsAnyExceptInRange('0', '7'))
            return "argument couldn't be parsed as an octal number";
        return Convert.ToInt64(text, Octal) > ModeMax ? "argument must be between 0 and 777 inclusive" : null;
    }

    public override string ToCanonical(string text) => Convert.ToString(Convert.ToInt64(text, Octal), Octal);
}
