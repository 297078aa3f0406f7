using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>The minimum level of the log; it may change at any time. Thread-safe.</summary>
/// <remarks>
/// CONFIG SET loglevel changes it, if the server's options have it. A program that uses it in a filter of its logging,
/// <c>AddFilter(level => level >= levels.Current)</c>, has one level for everything that it logs.
/// </remarks>
/// <param name="level">The initial level.</param>
public sealed class LogLevelSwitch(LogLevel level)
{
    private volatile LogLevel _current = level;

    /// <summary>The minimum level from now on.</summary>
    public LogLevel Current
    {
        get => _current;
        set => _current = value;
    }
}
