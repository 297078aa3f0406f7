using Microsoft.Extensions.Logging;

namespace Cache.Server;

/// <summary>The least level that is logged; it may change at any time. Thread-safe.</summary>
/// <remarks>
/// CONFIG SET loglevel of a server whose options have it changes it. A program that asks it in a filter of its logging,
/// <c>AddFilter(level => level >= levels.Current)</c>, has one level for everything that it logs.
/// </remarks>
/// <param name="level">The level to begin with.</param>
public sealed class LogLevelSwitch(LogLevel level)
{
    private volatile LogLevel _current = level;

    /// <summary>The least level that is logged from now on.</summary>
    public LogLevel Current
    {
        get => _current;
        set => _current = value;
    }
}
