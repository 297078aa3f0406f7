namespace Cache.Hosting;

/// <summary>Finds the name that a misspelt one probably meant.</summary>
internal static class NearestName
{
    // One of this many characters may be wrong; two of a short name.
    private const int CharactersPerMistake = 3;
    private const int MistakesMin = 2;

    // With fewer characters, too many names begin so.
    private const int BeginningMin = 4;

    /// <summary>The nearest of the names, whatever their case; else the shortest that begins with this one.</summary>
    /// <returns>Null if no name is near enough.</returns>
    public static string? Find(string name, IEnumerable<string> names)
    {
        string? nearest = null;
        int least = Math.Max(MistakesMin, name.Length / CharactersPerMistake) + 1;
        foreach (string candidate in names)
        {
            int distance = Distance(name.ToUpperInvariant(), candidate.ToUpperInvariant());
            if (distance < least)
                (least, nearest) = (distance, candidate);
        }

        return nearest ?? ShortestThatBeginsWith(name, names);
    }

    /// <summary>Insertions, deletions, replacements and swaps of neighbours between two names.</summary>
    public static int Distance(string one, string other)
    {
        var costs = new int[one.Length + 1, other.Length + 1];
        for (int i = 0; i <= one.Length; i++)
            costs[i, 0] = i;
        for (int j = 0; j <= other.Length; j++)
            costs[0, j] = j;
        for (int i = 1; i <= one.Length; i++)
        {
            for (int j = 1; j <= other.Length; j++)
            {
                int replaced = costs[i - 1, j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
                costs[i, j] = Math.Min(replaced, Math.Min(costs[i - 1, j], costs[i, j - 1]) + 1);
                if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                    costs[i, j] = Math.Min(costs[i, j], costs[i - 2, j - 2] + 1);
            }
        }

        return costs[one.Length, other.Length];
    }

    private static string? ShortestThatBeginsWith(string name, IEnumerable<string> names) =>
        name.Length < BeginningMin
            ? null
            : names.Where(candidate => candidate.StartsWith(name, StringComparison.OrdinalIgnoreCase))
                .MinBy(static candidate => candidate.Length);
}
