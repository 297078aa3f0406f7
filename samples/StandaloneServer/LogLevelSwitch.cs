using Microsoft.Extensions.Logging;

namespace StandaloneServer;

/// <summary>The least level that is logged; it may change at any time.</summary>
internal sealed class LogLevelSwitch(LogLevel level)
{
    private volatile LogLevel _current = level;

    public LogLevel Current
    {
        get => _current;
        set => _current = value;
    }
}
