namespace Cache.Testing;

/// <summary>A sample as a collector reads it.</summary>
/// <param name="Name">The name with its suffix.</param>
/// <param name="Labels">The labels by their names.</param>
/// <param name="Value">The value.</param>
internal sealed record PrometheusSample(string Name, IReadOnlyDictionary<string, string> Labels, double Value)
{
    /// <summary>Whether it has all of these labels, "name=value".</summary>
    public bool Has(params ReadOnlySpan<string> labels)
    {
        foreach (string label in labels)
        {
            string[] pair = label.Split('=', 2);
            if (Labels.GetValueOrDefault(pair[0]) != pair[1])
                return false;
        }

        return true;
    }
}
