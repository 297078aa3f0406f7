using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Hosting;
using Cache.Server;
using Spectre.Console;
using StandaloneServer.Configuration;

namespace StandaloneServer;

/// <summary>What somebody who started the server by hand wants to know first.</summary>
internal static class Greeting
{
    public static void Write(IAnsiConsole console, RespServer server, CacheStore store, bool needsPassword)
    {
        string command = ConnectCommand(
            server.EndPoints, needsPassword, isTls: server.TlsEndPoints.Contains(server.EndPoints[0]));
        var grid = new Grid().AddColumn().AddColumn();
        grid.AddRow("[grey]Listening on[/]", Markup.Escape(string.Join(", ", server.EndPoints)));
        grid.AddRow("[grey]Memory limit[/]", Markup.Escape(MemorySize.Format(store.MemoryLimitBytes)));
        grid.AddRow("[grey]Connect with[/]", $"[green]{Markup.Escape(command)}[/]");
        grid.AddRow("[grey]Stop with[/]", "Ctrl+C");
        console.Write(new Panel(grid).Header("[bold] Cache [/]").RoundedBorder());
    }

    public static string ConnectCommand(IReadOnlyList<EndPoint> endPoints, bool needsPassword, bool isTls = false)
    {
        string command = endPoints[0] switch
        {
            IPEndPoint ip when IPAddress.Loopback.Equals(ip.Address) => $"redis-cli -p {ip.Port}",
            IPEndPoint ip => $"redis-cli -h {HostOf(ip)} -p {ip.Port}",
            var unix => $"redis-cli -s {unix}",
        };
        if (isTls)
            command += " --tls";
        return needsPassword ? $"{command} --askpass" : command;
    }

    private static string HostOf(IPEndPoint ip)
    {
        bool isAny = ip.Address.Equals(IPAddress.Any) || ip.Address.Equals(IPAddress.IPv6Any);
        if (!isAny)
            return ip.Address.ToString();
        return ip.AddressFamily == AddressFamily.InterNetwork ? "127.0.0.1" : "::1";
    }
}
