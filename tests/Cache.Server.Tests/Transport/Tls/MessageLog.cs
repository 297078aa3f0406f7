using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Keeps what is logged.</summary>
internal sealed class MessageLog : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<string> _messages = new();

    public IEnumerable<string> Messages => _messages;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter) => _messages.Enqueue(formatter(state, exception));

    public void Dispose()
    {
    }
}
