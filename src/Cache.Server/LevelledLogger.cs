using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>A log that takes what a switch and the log below it take both.</summary>
/// <param name="inner">Where it goes.</param>
/// <param name="levels">The switch; null: one of its own that lets everything through until a level is set.</param>
internal sealed class LevelledLogger(ILogger inner, LogLevelSwitch? levels) : ILogger
{
    private static readonly (string Name, LogLevel Level)[] _names =
    [
        ("debug", LogLevel.Trace), ("verbose", LogLevel.Debug),
        ("notice", LogLevel.Information), ("warning", LogLevel.Warning),
    ];

    private readonly LogLevelSwitch _levels = levels ?? new LogLevelSwitch(LogLevel.Trace);

    /// <summary>What CONFIG reads and sets: without a switch the level that is let through by both.</summary>
    public LogLevelControl Control => new(
        () => NameOf(levels is null ? LeastEnabled() : levels.Current), name => _levels.Current = LevelOf(name));

    /// <summary>The level of a name of loglevel.</summary>
    public static LogLevel LevelOf(string name) => Array.Find(_names, one => one.Name == name).Level;

    /// <summary>What loglevel calls a level.</summary>
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

        return LogLevel.Information; // Of a log that takes nothing.
    }
}
