using System.Globalization;
using System.Security.Authentication;
using Cache.Core;
using Cache.Server.Settings;
using Microsoft.Extensions.Configuration;

namespace Cache.Hosting;

/// <summary>
/// Converts a section's values to options: each method sets an option and returns null, or returns the error.
/// </summary>
internal static class SectionValues
{
    public static string? Text(this IConfigurationSection entry, Action<string?> set) => Done(set, entry.Value);

    public static string? Integer(this IConfigurationSection entry, Action<int> set) =>
        int.TryParse(entry.Value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value)
            ? Done(set, value)
            : Wrong(entry, "an integer");

    /// <summary>A port, or none.</summary>
    public static string? Port(this IConfigurationSection entry, Action<int?> set)
    {
        if (int.TryParse(entry.Value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value))
            return Done(set, value);
        return string.Equals(entry.Value, "none", StringComparison.OrdinalIgnoreCase)
            ? Done(set, null)
            : Wrong(entry, "an integer, or none");
    }

    /// <summary>True or false, or yes or no as in redis.conf.</summary>
    public static string? Switch(this IConfigurationSection entry, Action<bool> set)
    {
        bool isOn = entry.Value is { } text && (Is(text, "true") || Is(text, "yes"));
        return isOn || (entry.Value is { } off && (Is(off, "false") || Is(off, "no")))
            ? Done(set, isOn)
            : Wrong(entry, "true or false");
    }

    public static string? Number(this IConfigurationSection entry, Action<double> set) =>
        double.TryParse(entry.Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
            ? Done(set, value)
            : Wrong(entry, "a number");

    /// <summary>Bytes, an amount such as 512mb, or a percentage of the memory that the process may use.</summary>
    public static string? Memory(this IConfigurationSection entry, Action<long> set) =>
        entry.Value is { Length: > 0 } text
            && MemorySize.TryParse(text, CacheOptions.AvailableMemoryBytes, out long bytes)
            ? Done(set, bytes)
            : Wrong(entry, "bytes, an amount such as 512mb, or such as 25% of the machine's or container's memory");

    /// <summary>As <see cref="Memory"/>, for an option that is not a share of the memory.</summary>
    public static string? Size(this IConfigurationSection entry, Action<long> set) =>
        entry.Value is { Length: > 0 } text && MemorySize.TryParse(text, out long bytes)
            ? Done(set, bytes)
            : Wrong(entry, "bytes, or an amount such as 512mb");

    // A bare number is seconds, as everywhere in this server; to TimeSpan.Parse it would be days.
    public static string? Interval(this IConfigurationSection entry, Action<TimeSpan> set)
    {
        if (int.TryParse(entry.Value, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds))
            return Done(set, TimeSpan.FromSeconds(seconds));
        return TimeSpan.TryParse(entry.Value, CultureInfo.InvariantCulture, out var value)
            ? Done(set, value)
            : Wrong(entry, "a number of seconds, or hours:minutes:seconds");
    }

    public static string? Mode(this IConfigurationSection entry, Action<UnixFileMode?> set)
    {
        const int octal = 8;
        string digits = entry.Value ?? "";
        return digits.Length is 0 or > 4 || digits.AsSpan().ContainsAnyExceptInRange('0', '7')
            ? Wrong(entry, "an octal number such as 700")
            : Done(set, (UnixFileMode)Convert.ToInt32(digits, octal));
    }

    /// <summary>One of an enumeration's names, whatever its case.</summary>
    public static string? OneOf<TEnum>(this IConfigurationSection entry, Action<TEnum> set)
        where TEnum : struct, Enum =>
        IsNameOf<TEnum>(entry.Value)
            ? Done(set, Enum.Parse<TEnum>(entry.Value!, ignoreCase: true))
            : Wrong(entry, $"one of {string.Join(", ", Enum.GetNames<TEnum>())}");

    /// <summary>Some of the names of an enumeration of flags: a list, or one text with spaces or commas.</summary>
    public static string? SomeOf<TEnum>(this IConfigurationSection entry, Action<TEnum> set)
        where TEnum : struct, Enum
    {
        IReadOnlyList<string> names = [];
        entry.List(value => names = value);
        return names.Count > 0 && names.All(IsNameOf<TEnum>)
            ? Done(set, Enum.Parse<TEnum>(string.Join(',', names), ignoreCase: true))
            : Wrong(entry, $"some of {string.Join(", ", Enum.GetNames<TEnum>())}");
    }

    /// <summary>Versions of TLS, separated by spaces or commas.</summary>
    public static string? TlsVersions(this IConfigurationSection entry, Action<SslProtocols> set)
    {
        var protocols = SslProtocols.None;
        foreach (string name in (entry.Value ?? "").Split((char[])[' ', ','], StringSplitOptions.RemoveEmptyEntries))
        {
            if (name.Equals(nameof(SslProtocols.Tls12), StringComparison.OrdinalIgnoreCase))
                protocols |= SslProtocols.Tls12;
            else if (name.Equals(nameof(SslProtocols.Tls13), StringComparison.OrdinalIgnoreCase))
                protocols |= SslProtocols.Tls13;
            else
                return Wrong(entry, "Tls12, Tls13 or both");
        }

        return protocols == SslProtocols.None ? Wrong(entry, "Tls12, Tls13 or both") : Done(set, protocols);
    }

    /// <summary>A list, or one text with spaces or commas between its items.</summary>
    public static string? List(this IConfigurationSection entry, Action<IReadOnlyList<string>> set) =>
        Done(set, entry.Value is { } text
            ? text.Split((char[])[' ', ','], StringSplitOptions.RemoveEmptyEntries)
            : [.. entry.GetChildren().Select(static item => item.Value ?? "")]);

    /// <summary>A list of texts, or one text.</summary>
    public static string? Lines(this IConfigurationSection entry, Action<IReadOnlyList<string>> set) =>
        Done(set, entry.Value is { } text ? [text] : [.. entry.GetChildren().Select(static item => item.Value ?? "")]);

    /// <summary>A section of names and texts.</summary>
    public static string? Pairs(this IConfigurationSection entry, Action<IReadOnlyDictionary<string, string>> set) =>
        entry.Value is null
            ? Done(set, entry.GetChildren().ToDictionary(static item => item.Key, static item => item.Value ?? ""))
            : Wrong(entry, "a section of names and their values");

    /// <summary>A list of texts, each a name and a user: names with colons cannot be keys.</summary>
    public static string? PairLines(
        this IConfigurationSection entry, Action<IReadOnlyDictionary<string, string>> set)
    {
        IReadOnlyList<string> lines = [];
        entry.Lines(value => lines = value);
        var pairs = new Dictionary<string, string>();
        foreach (string line in lines)
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words is not [var name, var user] || !pairs.TryAdd(name, user))
                return $"has '{line}'; it must be a name and a user with a space between, each name once";
        }

        return Done(set, pairs);
    }

    private static bool Is(string text, string word) => text.Equals(word, StringComparison.OrdinalIgnoreCase);

    private static bool IsNameOf<TEnum>(string? text)
        where TEnum : struct, Enum => Enum.GetNames<TEnum>().Contains(text, StringComparer.OrdinalIgnoreCase);

    private static string? Done<T>(Action<T> set, T value)
    {
        set(value);
        return null;
    }

    private static string Wrong(IConfigurationSection entry, string rule) => entry.Value is null
        ? $"is a section; it must be {rule}"
        : $"is '{entry.Value}'; it must be {rule}";
}
