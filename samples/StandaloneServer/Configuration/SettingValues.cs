using System.Globalization;
using Cache.Hosting;

namespace StandaloneServer.Configuration;

/// <summary>The values of a setting as what its directive takes; else an error that says what that is.</summary>
internal static class SettingValues
{
    public static int Integer(this Setting setting, int min, int max) =>
        int.TryParse(setting.Text, NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            && value >= min && value <= max
            ? value
            : throw setting.Wrong($"an integer between {min} and {max}");

    /// <summary>A TCP port; null for 0, which is none as in Redis.</summary>
    public static int? Port(this Setting setting) =>
        setting.Integer(0, ushort.MaxValue) is > 0 and var port ? port : null;

    /// <summary>A path or a password; null for an empty one.</summary>
    public static string? TextOrNull(this Setting setting) => setting.Text.Length == 0 ? null : setting.Text;

    public static TimeSpan Seconds(this Setting setting) =>
        TimeSpan.FromSeconds(setting.Integer(0, int.MaxValue / 1000));

    /// <summary>
    /// An amount of memory; where 0 is allowed it means the default, and a percentage, where allowed, is of the most.
    /// </summary>
    public static long Memory(
        this Setting setting, long min, long max, string? zeroMeans = null, bool takesPercent = false)
    {
        bool isMemory = takesPercent
            ? MemorySize.TryParse(setting.Text, whole: max, out long bytes)
            : MemorySize.TryParse(setting.Text, out bytes);
        if (isMemory && ((bytes >= min && bytes <= max) || (bytes == 0 && zeroMeans is not null)))
            return bytes;
        string zero = zeroMeans is null ? "" : $"0 ({zeroMeans}) or ";
        string percent = takesPercent ? " or 25%" : "";
        string range = $"between {MemorySize.Format(min)} and {MemorySize.Format(max)}";
        throw setting.Wrong($"{zero}an amount of memory {range}, such as 512mb{percent}");
    }

    public static bool YesNo(this Setting setting) => setting.OneOf(("yes", true), ("no", false));

    public static T OneOf<T>(this Setting setting, params ReadOnlySpan<(string Name, T Value)> choices)
    {
        foreach (var (name, value) in choices)
        {
            if (string.Equals(name, setting.Text, StringComparison.OrdinalIgnoreCase))
                return value;
        }

        var names = new List<string>();
        foreach (var (name, _) in choices)
            names.Add(name);
        throw setting.Wrong($"one of {string.Join(", ", names)}");
    }

    /// <summary>The mode of a file, in octal; null for 0, which nobody could use.</summary>
    public static UnixFileMode? ModeOrNull(this Setting setting)
    {
        const int octal = 8;
        bool isMode = setting.Text.Length is > 0 and <= 4 && !setting.Text.AsSpan().ContainsAnyExceptInRange('0', '7');
        int mode = isMode ? Convert.ToInt32(setting.Text, octal) : -1;
        return mode is >= 0 and <= 0b111_111_111
            ? mode == 0 ? null : (UnixFileMode)mode
            : throw setting.Wrong("an octal number between 0 and 777, such as 700");
    }

    /// <summary>Accepts the one value under which nothing is asked for that this server does not do.</summary>
    public static void Only(this Setting setting, string value, string reason)
    {
        if (!string.Equals(setting.Text, value, StringComparison.OrdinalIgnoreCase))
            throw setting.Wrong($"{(value.Length == 0 ? "\"\"" : value)}: {reason}");
    }
}
