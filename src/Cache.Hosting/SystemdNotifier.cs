using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Cache.Hosting;

/// <summary>Tells systemd how its service is, as sd_notify does: a datagram to the socket that it names.</summary>
/// <remarks>Thread-safe; a message that cannot be sent is lost, and nothing else happens.</remarks>
internal sealed class SystemdNotifier
{
    public const string Ready = "READY=1";
    public const string Stopping = "STOPPING=1";
    public const string Alive = "WATCHDOG=1";

    // A day: no timer takes months, and who gets signs of life more often than asked for is not harmed.
    private const long WatchdogMicrosecondsMax = 24L * 60 * 60 * 1_000_000;

    private readonly UnixDomainSocketEndPoint _endPoint;

    private SystemdNotifier(string path, TimeSpan? watchdogTime)
    {
        // A name that begins with @ is none of the file system.
        _endPoint = new UnixDomainSocketEndPoint(path[0] == '@' ? '\0' + path[1..] : path);
        WatchdogTime = watchdogTime;
    }

    /// <summary>After how much silence the service is restarted, or a day; null: it is not watched.</summary>
    public TimeSpan? WatchdogTime { get; }

    /// <summary>What the environment names; null: systemd has not started the process, or asks for nothing.</summary>
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
            socket.Blocking = false; // Whoever does not read is not to keep a stop waiting.
            socket.SendTo(Encoding.ASCII.GetBytes(state), _endPoint);
        }
        catch (SocketException)
        {
            // Nobody listens any more.
        }
    }
}
