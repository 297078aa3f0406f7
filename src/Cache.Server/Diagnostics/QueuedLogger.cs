using Microsoft.Extensions.Logging;

namespace Cache.Server.Diagnostics;

/// <summary>
/// A log whose callers never wait: its reader may be what everything else waits for.
/// </summary>
/// <remarks>
/// A thread writes the lines in their order, and ends when there are none. At most <see cref="LinesMax"/> wait; others
/// are lost. Thread-safe.
/// </remarks>
internal sealed class QueuedLogger(ILogger inner) : ILogger
{
    /// <summary>More than an administrator causes while a log hangs for a moment.</summary>
    public const int LinesMax = 256;

    private readonly Lock _gate = new();

    // Guarded by the gate.
    private readonly Queue<Action> _lines = new();
    private bool _isWriting;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        lock (_gate)
        {
            if (_lines.Count == LinesMax)
                return;
            _lines.Enqueue(() => inner.Log(logLevel, eventId, state, exception, formatter));
            if (_isWriting)
                return;
            _isWriting = true;
        }

        try
        {
            new Thread(Write) { IsBackground = true, Name = "cache admin log" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            lock (_gate)
                _isWriting = false; // The next line tries again.
        }
    }

    private void Write()
    {
        while (TryTake(out var line))
        {
            try
            {
                line();
            }
#pragma warning disable CA1031 // A log that fails, as on a full disk, ends neither the process nor the lines behind.
            catch (Exception)
#pragma warning restore CA1031
            {
            }
        }
    }

    private bool TryTake(out Action line)
    {
        lock (_gate)
            return _isWriting = _lines.TryDequeue(out line!);
    }
}
