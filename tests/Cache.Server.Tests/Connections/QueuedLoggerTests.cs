using Cache.Server.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Tests.Connections;

public sealed class QueuedLoggerTests
{
    // An exception of its thread would end the process.
    [Fact]
    public void Log_WhereTheLogThrows_WritesTheNextLine()
    {
        var inner = new ThrowingLog();
        var logger = new QueuedLogger(inner);
        for (int i = 0; i < 3; i++)
        {
            int count = i;
            logger.Log(LogLevel.Warning, "line {Number}", i);
            Assert.True(SpinWait.SpinUntil(() => inner.Count > count, TimeSpan.FromSeconds(20)));
        }
    }

    private sealed class ThrowingLog : ILogger
    {
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            Interlocked.Increment(ref _count);
            throw new IOException("No space left on device");
        }
    }
}
