using System.Globalization;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Reads the server's options from a section of the configuration.</summary>
/// <remarks>Key by key: without reflection, which trimming breaks, and without a package that binds.</remarks>
internal static class RespServerOptionsSection
{
    /// <summary>Sets the options that the section has; the others stay as they are.</summary>
    /// <exception cref="OptionsValidationException">
    /// A key is unknown or a value has the wrong form; each is named.
    /// </exception>
    public static void Apply(IConfiguration section, RespServerOptions options)
    {
        var problems = new List<string>();
        foreach (var entry in section.GetChildren())
        {
            if (FindProblem(entry, options) is { } problem)
                problems.Add($"{entry.Path} {problem}.");
        }

        if (problems.Count > 0)
            throw new OptionsValidationException(Options.DefaultName, typeof(RespServerOptions), problems);
    }

    private static string? FindProblem(IConfigurationSection entry, RespServerOptions options)
    {
        return entry.Key.ToUpperInvariant() switch
        {
            "PORT" => Integer(entry, int.MaxValue, value => options.Port = (int)value),
            "BIND" => Set(() => options.Bind = ReadList(entry)),
            "UNIXSOCKETPATH" => Set(() => options.UnixSocketPath = entry.Value),
            "UNIXSOCKETMODE" => Mode(entry, options),
            "REQUIREPASS" => Set(() => options.RequirePass = entry.Value),
            "MAXCLIENTS" => Integer(entry, int.MaxValue, value => options.MaxClients = (int)value),
            "TRANSPORT" => Transport(entry, options),
            "IOTHREADCOUNT" => Integer(entry, int.MaxValue, value => options.IoThreadCount = (int)value),
            "BACKLOG" => Integer(entry, int.MaxValue, value => options.Backlog = (int)value),
            "INPUTBUFFERLIMIT" => Integer(entry, long.MaxValue, value => options.InputBufferLimit = value),
            "OUTPUTBUFFERLIMIT" => Integer(entry, long.MaxValue, value => options.OutputBufferLimit = value),
            "OUTPUTSTALLTIMEOUT" => Interval(entry, value => options.OutputStallTimeout = value),
            "TIMEOUT" => Interval(entry, value => options.Timeout = value),
            "TCPKEEPALIVE" => Interval(entry, value => options.TcpKeepAlive = value),
            "DRAINTIMEOUT" => Interval(entry, value => options.DrainTimeout = value),
            _ => $"is no option of the server; its options are the properties of {nameof(RespServerOptions)}",
        };
    }

    // A number that names none is found by the options themselves.
    private static string? Transport(IConfigurationSection entry, RespServerOptions options)
    {
        if (Enum.TryParse<RespTransport>(entry.Value, ignoreCase: true, out var transport))
            return Set(() => options.Transport = transport);
        return $"is '{entry.Value}'; it must be one of {string.Join(", ", Enum.GetNames<RespTransport>())}";
    }

    private static string? Integer(IConfigurationSection entry, long max, Action<long> set)
    {
        if (!long.TryParse(entry.Value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value)
            || value > max || value < -max)
        {
            return $"is '{entry.Value}'; it must be an integer";
        }

        return Set(() => set(value));
    }

    // A bare number is seconds, as everywhere in this server; to TimeSpan.Parse it would be days.
    private static string? Interval(IConfigurationSection entry, Action<TimeSpan> set)
    {
        if (int.TryParse(entry.Value, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds))
            return Set(() => set(TimeSpan.FromSeconds(seconds)));
        return TimeSpan.TryParse(entry.Value, CultureInfo.InvariantCulture, out var value)
            ? Set(() => set(value))
            : $"is '{entry.Value}'; it must be a number of seconds, or hours:minutes:seconds";
    }

    private static string? Mode(IConfigurationSection entry, RespServerOptions options)
    {
        const int octal = 8;
        string digits = entry.Value ?? "";
        if (digits.Length is 0 or > 4 || digits.AsSpan().ContainsAnyExceptInRange('0', '7'))
            return $"is '{entry.Value}'; it must be an octal number such as 700";
        return Set(() => options.UnixSocketMode = (UnixFileMode)Convert.ToInt32(digits, octal));
    }

    private static string[] ReadList(IConfigurationSection entry) => entry.Value is { } text
        ? text.Split((char[])[' ', ','], StringSplitOptions.RemoveEmptyEntries)
        : [.. entry.GetChildren().Select(static item => item.Value ?? "")];

    private static string? Set(Action set)
    {
        set();
        return null;
    }
}
