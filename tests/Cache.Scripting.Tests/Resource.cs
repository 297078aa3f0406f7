namespace Cache.Scripting.Tests;

/// <summary>Files of scripts, one on each line.</summary>
internal static class Resource
{
    public static IReadOnlyList<string> Lines(string name)
    {
        using var stream = typeof(Resource).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The test has no resource {name}.");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
