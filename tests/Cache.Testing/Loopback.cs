using System.Net;
using System.Net.Sockets;

namespace Cache.Testing;

/// <summary>What addresses of itself the machine has.</summary>
public static class Loopback
{
    /// <summary>Whether ::1 can be listened on: a container's kernel often has IPv6, but no address.</summary>
    public static bool HasVersion6 { get; } = CanBind(IPAddress.IPv6Loopback);

    /// <summary>Addresses of both versions, or of the one that there is.</summary>
    public static IReadOnlyList<IPAddress> All { get; } =
        HasVersion6 ? [IPAddress.Loopback, IPAddress.IPv6Loopback] : [IPAddress.Loopback];

    private static bool CanBind(IPAddress address)
    {
        try
        {
            using var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(address, 0));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
