using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Cache.Tool.Standalone;

/// <summary>A client that asks a server of this machine whether it answers: the health check of a container.</summary>
internal static class HealthProbe
{
    private const string Option = "--ping";
    private const int DefaultPort = 6379;
    private const int ReplyBytesMax = 256;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    /// <summary>Whether the arguments ask for it, and on which port.</summary>
    public static bool IsAsked(string[] arguments, out int port)
    {
        port = DefaultPort;
        return arguments is [Option]
            || (arguments is [Option, var text]
                && int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port)
                && port <= IPEndPoint.MaxPort);
    }

    /// <returns>The exit code: 0 if it answers, also that it wants a password; else 1.</returns>
    public static async Task<int> RunAsync(int port)
    {
        using var patience = new CancellationTokenSource(_patience, TimeProvider.System);
        try
        {
            using var client = new TcpClient(AddressFamily.InterNetwork);
            await client.ConnectAsync(IPAddress.Loopback, port, patience.Token).ConfigureAwait(false);
            var stream = client.GetStream();
            await stream.WriteAsync("PING\r\n"u8.ToArray(), patience.Token).ConfigureAwait(false);
            byte[] reply = new byte[ReplyBytesMax];
            int count = await stream.ReadAsync(reply, patience.Token).ConfigureAwait(false);
            return IsAlive(reply.AsSpan(0, count)) ? 0 : 1;
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException)
        {
            return 1;
        }
    }

    private static bool IsAlive(ReadOnlySpan<byte> reply) =>
        reply.StartsWith("+PONG"u8) || reply.StartsWith("-NOAUTH"u8);
}
