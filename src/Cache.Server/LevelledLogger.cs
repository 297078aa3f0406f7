using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>A log that takes the entries that both a switch and the log below it allow.</summary>
/// <param name="inner">The log below.</param>
/// <param name="levels">The switch; null: its own, which allows everything until a level is set.</param>
internal sealed class LevelledLogger(ILogger inner, LogLevelSwitch? levels) : ILogger
{
    private static readonly (string Name, LogLevel Level)[] _names =
    [
        ("debug", LogLevel.Trace), ("verbose", LogLevel.Debug),
        ("notice", LogLevel.Information), ("warning", LogLevel.Warning),
    ];

    private readonly LogLevelSwitch _levels = levels ?? new LogLevelSwitch(LogLevel.Trace);

    /// <summary>The level that CONFIG reads and sets: without a switch, the one that both allow.</summary>
    public LogLevelControl Control => new(
        () => NameOf(levels is null ? LeastEnabled() : levels.Current), name => _levels.Current = LevelOf(name));

    /// <summary>The level for a name in loglevel.</summary>
    public static LogLevel LevelOf(string name) => Array.Find(_names, one => one.Name == name).Level;

    /// <summary>The name of a level in loglevel.</summary>
    public static string NameOf(LogLevel level) =>
        Array.FindLast(_names, one => one.Level <= level).Name;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel) => logLevel >= _levels.Current && inner.IsEnabled(logLevel);

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (logLevel >= _levels.Current)
            inner.Log(logLevel, eventId, state, exception, formatter);
    }

    private LogLevel LeastEnabled()
    {
        foreach (var (_, level) in _names)
        {
            if (IsEnabled(level))
                return level;
        }

        return LogLevel.Information; // For a log that takes nothing.
    }
}
