using System.Runtime.InteropServices;

namespace Cache.Tool.Migration;

/// <summary>Ctrl-C and SIGTERM: the first one asks for an end in order, the second one ends the process.</summary>
internal sealed class Interrupt : IDisposable
{
    private readonly CancellationTokenSource _asked = new();
    private readonly PosixSignalRegistration[] _registrations;

    public Interrupt() => _registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, Take),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, Take),
    ];

    public CancellationToken Token => _asked.Token;

    public void Dispose()
    {
        foreach (var one in _registrations)
            one.Dispose();
        _asked.Dispose();
    }

    private void Take(PosixSignalContext signal)
    {
        signal.Cancel = !_asked.IsCancellationRequested;
        _asked.Cancel();
    }
}
