using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>A port that nobody listened on a moment ago: the program takes 0 for none.</summary>
internal static class FreePort
{
    public static string Find()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
    }
}
