using Microsoft.Extensions.Hosting;

namespace Cache.Hosting;

/// <summary>Tells systemd that the host has started and that it stops, and sends signs of life in between.</summary>
/// <remarks>
/// The thread pool sends the sign of life, twice in the time that systemd allows: a process whose pool hangs serves no
/// application either.
/// </remarks>
internal sealed class SystemdService(SystemdNotifier notifier, TimeProvider clock)
    : IHostedLifecycleService, IDisposable
{
    // What systemd itself advises: half of its time.
    private const int SignsPerTime = 2;

    private ITimer? _timer;

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>All services have started, the server among them: it accepts clients.</summary>
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        notifier.Send(SystemdNotifier.Ready);
        if (notifier.WatchdogTime is { } time)
        {
            _timer = clock.CreateTimer(
                static to => ((SystemdNotifier)to!).Send(SystemdNotifier.Alive), notifier, TimeSpan.Zero,
                time / SignsPerTime);
        }

        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        notifier.Send(SystemdNotifier.Stopping);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose() => _timer?.Dispose();
}
