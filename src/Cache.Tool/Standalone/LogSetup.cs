using Cache.Hosting.Configuration;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;

namespace Cache.Tool.Standalone;

/// <summary>Where the log goes and how it looks, and what it says about the configuration.</summary>
internal static partial class LogSetup
{
    private const string FormatterKey = "Logging:Console:FormatterName";
    private const string TimestampFormat = "yyyy-MM-dd HH:mm:ss.fff ";

    private static readonly string[] _formatters =
        [ConsoleFormatterNames.Simple, ConsoleFormatterNames.Json, ConsoleFormatterNames.Systemd];

    /// <summary>
    /// Adds levels that there are not, for which the runtime would end the process, and the name of a formatter that
    /// there is not, in whose place it would take the simple one.
    /// </summary>
    public static void FindProblems(IConfiguration json, string fileName, List<string> problems)
    {
        FindLevelProblems(json.GetSection("Logging"), fileName, problems);
        if (json[FormatterKey] is not { } name || _formatters.Contains(name, StringComparer.OrdinalIgnoreCase))
            return;
        string names = string.Join(", ", _formatters);
        problems.Add($"{fileName}, {FormatterKey} is '{name}'; it must be one of {names}.");
    }

    public static void AddTo(
        ILoggingBuilder logging, ProgramSettings settings, LogLevelSwitch level, IConfiguration json)
    {
        // First, so that what the JSON file says of formatters and levels goes before it.
        logging.Services.Configure<SimpleConsoleFormatterOptions>(
            static o => (o.SingleLine, o.TimestampFormat) = (true, TimestampFormat));
        logging.Services.Configure<JsonConsoleFormatterOptions>(
            static o => (o.UseUtcTimestamp, o.TimestampFormat) = (true, "yyyy-MM-ddTHH:mm:ss.fffZ"));
        logging
            .SetMinimumLevel(LogLevel.Trace)
            .AddFilter(one => one >= level.Current)
            .AddConfiguration(json.GetSection("Logging"))
            .AddConsole(o => o.FormatterName =
                FormatterOf(settings.LogFormat) ?? json[FormatterKey] ?? ConsoleFormatterNames.Simple)
            // A start that fails is told once, without a stack trace.
            .AddFilter("Microsoft.Extensions.Hosting", LogLevel.None)
            // A line for each scrape tells nothing.
            .AddFilter("Microsoft.AspNetCore", one => one >= LogLevel.Warning && one >= level.Current)
            .AddFilter("Microsoft.Hosting.Lifetime", LogLevel.None);
    }

    /// <summary>Tells once of all that was taken without an effect.</summary>
    public static void WarnOfNoEffect(IHost host, ProgramSettings settings)
    {
        var logger = host.Services.GetRequiredService<ILoggerFactory>().CreateLogger("StandaloneServer");
        foreach (var setting in settings.Foreign)
            NotTaken(logger, setting.Label, setting.Text);
        if (settings.WithoutEffect.Count == 0)
            return;
        var explained = settings.WithoutEffect.Where(static pair => pair.Value is not null);
        var others = settings.WithoutEffect.Where(static pair => pair.Value is null);
        NoEffect(
            logger,
            string.Join("; ", explained.Select(static pair => $"{pair.Key} ({pair.Value})")
                .Append(string.Join(", ", others.Select(static pair => pair.Key)))
                .Where(static text => text.Length > 0)));
    }

    /// <summary>Tells of each setting that wins over what the configuration says.</summary>
    public static void WarnOfOverrides(IHost host, IReadOnlyList<Setting> given)
    {
        var logger = host.Services.GetRequiredService<ILoggerFactory>().CreateLogger("StandaloneServer");
        foreach (var setting in given.Where(static one => one.IsOverride))
            Overridden(logger, setting.Name, setting.Origin);
    }

    private static void FindLevelProblems(IConfigurationSection section, string fileName, List<string> problems)
    {
        foreach (var child in section.GetChildren())
        {
            if (!child.Key.Equals("LogLevel", StringComparison.OrdinalIgnoreCase))
            {
                FindLevelProblems(child, fileName, problems);
                continue;
            }

            foreach (var level in child.GetChildren())
            {
                if (!Enum.TryParse<LogLevel>(level.Value, ignoreCase: true, out _))
                {
                    string names = string.Join(", ", Enum.GetNames<LogLevel>());
                    problems.Add($"{fileName}, {level.Path} is '{level.Value}'; it must be one of {names}.");
                }
            }
        }
    }

    private static string? FormatterOf(LogFormat? format) => format switch
    {
        LogFormat.Json => ConsoleFormatterNames.Json,
        LogFormat.Text => ConsoleFormatterNames.Simple,
        _ => null,
    };

    [LoggerMessage(7, LogLevel.Warning,
        "Not taken: {Source} is '{Value}', as Kubernetes sets it for a service of that name. Give the port in another "
        + "way, or set enableServiceLinks to false")]
    private static partial void NotTaken(ILogger logger, string source, string value);

    [LoggerMessage(20, LogLevel.Warning,
        "OVERRIDDEN: {Directive} comes from {Origin}, whatever the configuration says. Delete that file, and start "
        + "again, to have the configuration back")]
    private static partial void Overridden(ILogger logger, string directive, string origin);

    [LoggerMessage(1, LogLevel.Warning, "Directives of Redis that have no effect here: {Directives}")]
    private static partial void NoEffect(ILogger logger, string directives);
}
