using System.Net;
using System.Net.Sockets;

namespace Cache.Server;

/// <summary>One address to listen on.</summary>
/// <param name="Text">As it was written.</param>
/// <param name="EndPoint">The address, with the port.</param>
/// <param name="IsTls">Whether it uses TLS.</param>
/// <param name="MayBeAbsent">Whether the machine may lack the address.</param>
internal sealed record ListenAddress(string Text, IPEndPoint EndPoint, bool IsTls, bool MayBeAbsent)
{
    /// <summary>All end points of a list of addresses; looks up names, which may take seconds.</summary>
    /// <param name="bind">The list, in the notation of redis.conf.</param>
    /// <param name="port">The port; null for none.</param>
    /// <param name="tlsPort">The port for TLS; null for none.</param>
    /// <param name="words">The names of the options in messages.</param>
    /// <param name="problems">Receives an error for each name without an address.</param>
    public static List<ListenAddress> Resolve(
        IEnumerable<string> bind, int? port, int? tlsPort, ListenWords words, List<string> problems)
    {
        var all = new List<ListenAddress>();
        foreach (string text in bind)
        {
            var address = BindAddress.Parse(text);
            foreach (var ip in Resolve(address, text, words, problems))
            {
                if (port is { } plain)
                    all.Add(new ListenAddress(text, new IPEndPoint(ip, plain), IsTls: false, address.MayBeAbsent));
                if (tlsPort is { } tls)
                    all.Add(new ListenAddress(text, new IPEndPoint(ip, tls), IsTls: true, address.MayBeAbsent));
            }
        }

        return all;
    }

    /// <summary>
    /// Whether two different addresses cannot be listened on at once, because one is all addresses of the family.
    /// </summary>
    public bool Overlaps(EndPoint other) =>
        other is IPEndPoint ip && ip.Port == EndPoint.Port && EndPoint.Port != 0
        && ip.AddressFamily == EndPoint.AddressFamily && (IsAny(ip.Address) || IsAny(EndPoint.Address));

    private static bool IsAny(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    private static IPAddress[] Resolve(BindAddress address, string text, ListenWords words, List<string> problems)
    {
        try
        {
            if (address.IsValid)
                return address.Resolve();
            problems.Add($"{words.Bind} has '{text}'; it must be an IP address, a host name, * or ::*.");
        }
        catch (SocketException e)
        {
            problems.Add($"{words.Bind} has '{text}'; its address cannot be found: {e.Message}.");
        }

        return [];
    }
}
