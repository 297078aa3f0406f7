using System.Runtime.InteropServices;

namespace Cache.Tool.Standalone;

/// <summary>
/// The signals that would end the process though they mean something else: SIGHUP asks for a reload, as by convention,
/// SIGUSR1 and SIGUSR2 are ignored. SIGTERM and SIGINT are the host's, SIGPIPE the runtime's.
/// </summary>
internal sealed class Signals : IDisposable
{
    // By their numbers, which the runtime takes for signals that it has no name for.
    private static readonly int[] _userSignals =
        OperatingSystem.IsWindows() ? [] : OperatingSystem.IsLinux() ? [10, 12] : [30, 31];

    private readonly List<PosixSignalRegistration> _registrations = [];
    private readonly Lock _gate = new();

    // Guarded by the gate.
    private Action? _hangUp;
    private bool _wasHungUp;

    public Signals()
    {
        _registrations.Add(PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            context.Cancel = true;
            HangUp();
        }));
        foreach (int signal in _userSignals)
        {
            _registrations.Add(PosixSignalRegistration.Create(
                (PosixSignal)signal, static context => context.Cancel = true));
        }
    }

    /// <summary>What SIGHUP does from now on, and at once if it came before.</summary>
    public void OnHangUp(Action action)
    {
        bool wasHungUp;
        lock (_gate)
        {
            _hangUp = action;
            wasHungUp = _wasHungUp;
        }

        if (wasHungUp)
            action();
    }

    /// <summary>SIGHUP came.</summary>
    internal void HangUp()
    {
        Action? action;
        lock (_gate)
        {
            action = _hangUp;
            _wasHungUp |= action is null;
        }

        action?.Invoke();
    }

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
    }
}
