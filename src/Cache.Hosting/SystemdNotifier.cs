using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Cache.Hosting;

/// <summary>
/// Reports the state of the service to systemd, as sd_notify does: a datagram to the socket that systemd names.
/// </summary>
/// <remarks>Thread-safe; a message that cannot be sent is dropped.</remarks>
internal sealed class SystemdNotifier
{
    public const string Ready = "READY=1";
    public const string Stopping = "STOPPING=1";
    public const string Alive = "WATCHDOG=1";

    // A day: no timer accepts months, and more frequent signs of life do no harm.
    private const long WatchdogMicrosecondsMax = 24L * 60 * 60 * 1_000_000;

    private readonly UnixDomainSocketEndPoint _endPoint;

    private SystemdNotifier(string path, TimeSpan? watchdogTime)
    {
        // A name that begins with @ is not in the file system.
        _endPoint = new UnixDomainSocketEndPoint(path[0] == '@' ? '\0' + path[1..] : path);
        WatchdogTime = watchdogTime;
    }

    /// <summary>
    /// The time without a sign of life after which systemd restarts the service, at most a day; null: not watched.
    /// </summary>
    public TimeSpan? WatchdogTime { get; }

    /// <summary>
    /// The notifier that the environment describes; null: systemd has not started the process, or expects no messages.
    /// </summary>
    /// <param name="environment">The value of a variable, or null.</param>
    /// <param name="processId">This process's number.</param>
    public static SystemdNotifier? Find(Func<string, string?> environment, int processId)
    {
        if (environment("NOTIFY_SOCKET") is not { Length: > 1 } path || path[0] is not ('/' or '@'))
            return null;
        bool isWatched = long.TryParse(
            environment("WATCHDOG_USEC"), NumberStyles.None, CultureInfo.InvariantCulture, out long microseconds)
            && microseconds > 0;

        // Set for another process, of which this one is a child.
        if (environment("WATCHDOG_PID") is { Length: > 0 } watched)
            isWatched &= watched == processId.ToString(CultureInfo.InvariantCulture);
        try
        {
            microseconds = Math.Min(microseconds, WatchdogMicrosecondsMax);
            return new SystemdNotifier(path, isWatched ? TimeSpan.FromMicroseconds(microseconds) : null);
        }
        catch (Exception e) when (e is ArgumentException or PlatformNotSupportedException)
        {
            return null; // Longer than any socket's name, or a system without such sockets.
        }
    }

    public void Send(string state)
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Blocking = false; // A receiver that does not read must not delay a stop.
            socket.SendTo(Encoding.ASCII.GetBytes(state), _endPoint);
        }
        catch (SocketException)
        {
            // The socket has no listener any more.
        }
    }
}
