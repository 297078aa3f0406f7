using System.Net;
using System.Net.Sockets;

namespace Cache.Server;

/// <summary>One address to listen on.</summary>
/// <param name="Text">As it was written.</param>
/// <param name="EndPoint">What it stands for, with the port.</param>
/// <param name="IsTls">Whether TLS is spoken there.</param>
/// <param name="MayBeAbsent">Whether the machine may lack the address.</param>
internal sealed record ListenAddress(string Text, IPEndPoint EndPoint, bool IsTls, bool MayBeAbsent)
{
    /// <summary>All that a list of addresses stands for; names are looked up, which may take seconds.</summary>
    /// <param name="bind">The list, in the notation of redis.conf.</param>
    /// <param name="port">The port; null for none.</param>
    /// <param name="tlsPort">The port for TLS; null for none.</param>
    /// <param name="words">What messages call the list.</param>
    /// <param name="problems">Gets each name that stands for nothing.</param>
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

    /// <summary>Whether both cannot be listened on at once, though they differ: one is all of the family.</summary>
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
