using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Server;
using Cache.Server.Settings;
using Spectre.Console;

namespace Cache.Tool.Standalone;

/// <summary>What an operator who started the server by hand needs first.</summary>
internal static class Greeting
{
    public static void Write(IAnsiConsole console, RespServer server, CacheStore store, RespServerOptions options)
    {
        string command = ConnectCommand(
            server.EndPoints,
            needsPassword: options.RequirePass is not null,
            tls: server.TlsEndPoints.Contains(server.EndPoints[0]) ? options : null);
        var grid = new Grid().AddColumn().AddColumn();
        grid.AddRow("[grey]Listening on[/]", Markup.Escape(string.Join(", ", server.EndPoints)));
        grid.AddRow("[grey]Memory limit[/]", Markup.Escape(MemorySize.Format(store.MemoryLimitBytes)));
        grid.AddRow("[grey]Connect with[/]", $"[green]{Markup.Escape(command)}[/]");
        if (server.TlsEndPoints.Count > 0 && !server.TlsEndPoints.Contains(server.EndPoints[0]))
        {
            string byTls = ConnectCommand(server.TlsEndPoints, options.RequirePass is not null, options);
            grid.AddRow("[grey]or by TLS[/]", $"[green]{Markup.Escape(byTls)}[/]");
        }

        grid.AddRow("[grey]Stop with[/]", "Ctrl+C");
        console.Write(new Panel(grid).Header("[bold] Cache [/]").RoundedBorder());
    }

    /// <param name="endPoints">Where the server listens; the first one counts.</param>
    /// <param name="needsPassword">Whether redis-cli asks for it.</param>
    /// <param name="tls">The options, if that end point speaks TLS.</param>
    public static string ConnectCommand(
        IReadOnlyList<EndPoint> endPoints, bool needsPassword, RespServerOptions? tls = null)
    {
        string command = endPoints[0] switch
        {
            IPEndPoint ip when IPAddress.Loopback.Equals(ip.Address) => $"redis-cli -p {ip.Port}",
            IPEndPoint ip => $"redis-cli -h {HostOf(ip)} -p {ip.Port}",
            var unix => $"redis-cli -s {unix}",
        };
        if (tls is not null)
            command += TlsArguments(tls);
        return needsPassword ? $"{command} --askpass" : command;
    }

    // A self-signed certificate is its own authority. One of a PFX file cannot be named: redis-cli reads PEM only.
    private static string TlsArguments(RespServerOptions options)
    {
        string arguments = " --tls";
        if ((options.TlsCaCertificateFile ?? options.TlsCertificateFile) is { } authority)
            arguments += $" --cacert {authority}";
        return options.TlsClientAuthentication == TlsClientAuthentication.Required
            ? arguments + " --cert <file> --key <file>"
            : arguments;
    }

    private static string HostOf(IPEndPoint ip)
    {
        bool isAny = ip.Address.Equals(IPAddress.Any) || ip.Address.Equals(IPAddress.IPv6Any);
        if (!isAny)
            return ip.Address.ToString();
        return ip.AddressFamily == AddressFamily.InterNetwork ? "127.0.0.1" : "::1";
    }
}
