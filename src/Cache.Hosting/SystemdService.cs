using Microsoft.Extensions.Hosting;

namespace Cache.Hosting;

/// <summary>Tells systemd that the host has started, that it stops, and meanwhile that it lives.</summary>
/// <remarks>
/// The sign of life comes from the thread pool, twice in the time that systemd gives: a process whose pool does not
/// run any more serves no application either.
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
