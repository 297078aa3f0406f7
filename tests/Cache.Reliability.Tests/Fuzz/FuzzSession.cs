using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>What several clients do to one server, step by step; a file holds a step a line.</summary>
internal sealed class FuzzSession(IReadOnlyList<FuzzStep> steps)
{
    // What may close a connection, refuse one, or narrow what is taken: who does it, the others do not see.
    private static readonly string[] _unsettling =
        ["kill", "timeout", "requirepass", "maxclients", "limit", "bulk-len", "pause"];

    public IReadOnlyList<FuzzStep> Steps { get; } = steps;

    /// <summary>Whether a connection may end for a reason that its own bytes do not show.</summary>
    public bool IsUnsettling { get; } = steps.Any(static step => IsUnsettlingStep(step.Bytes));

    public string Format()
    {
        var text = new StringBuilder();
        foreach (var step in Steps)
        {
            string line = $"{step.Kind.ToString().ToLowerInvariant()} {step.Connection} {FuzzText.Escape(step.Bytes)}";
            text.Append(line.TrimEnd(' ')).Append('\n');
        }

        return text.ToString();
    }

    /// <summary>A line that begins with # says what the session found.</summary>
    public static FuzzSession Parse(string text)
    {
        var steps = new List<FuzzStep>();
        foreach (string line in text.Split('\n'))
        {
            if (line.Length == 0 || line[0] == '#')
                continue;
            string[] parts = line.Split(' ', 3);
            steps.Add(new FuzzStep(
                Enum.Parse<FuzzStepKind>(parts[0], ignoreCase: true),
                int.Parse(parts[1], CultureInfo.InvariantCulture),
                parts.Length > 2 ? FuzzText.Unescape(parts[2]) : []));
        }

        return new FuzzSession(steps);
    }

    private static bool IsUnsettlingStep(byte[] bytes)
    {
        string text = Encoding.Latin1.GetString(bytes).ToLowerInvariant();
        return Array.Exists(_unsettling, word => text.Contains(word, StringComparison.Ordinal));
    }
}
