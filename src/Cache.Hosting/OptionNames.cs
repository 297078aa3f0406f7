using System.Text.RegularExpressions;

namespace Cache.Hosting;

/// <summary>Finds options in the libraries' messages, which name them by type and property.</summary>
internal static partial class OptionNames
{
    private const string Name = "name";

    /// <summary>Replaces the names of options.</summary>
    /// <param name="message">The message.</param>
    /// <param name="rename">Returns the new name of an option; null leaves it.</param>
    public static string Replace(string message, Func<string, string?> rename) =>
        InMessage().Replace(message, match =>
            match.Groups[Name] is { Success: true } name && rename(name.Value) is { } other ? other : match.Value);

    /// <summary>The options that a message names.</summary>
    public static IEnumerable<string> FindAll(string message) =>
        InMessage().Matches(message)
            .Select(static match => match.Groups[Name])
            .Where(static name => name.Success)
            .Select(static name => name.Value);

    // Quoted text is a value, not the name of an option.
    [GeneratedRegex(@"'[^']*'|\b(?:RespServer|Cache|HybridStore)Options\.(?<name>\w+)")]
    private static partial Regex InMessage();
}
