using System.Net;

namespace Cache.Server;

/// <summary>An address of <see cref="RespServerOptions.Bind"/>, in the notation of redis.conf.</summary>
/// <param name="Name">An IP address or a host name.</param>
/// <param name="MayBeAbsent">Whether the server starts even if the machine does not have the address.</param>
internal readonly record struct BindAddress(string Name, bool MayBeAbsent)
{
    public static BindAddress Parse(string text)
    {
        bool mayBeAbsent = text.StartsWith('-');
        string name = mayBeAbsent ? text[1..] : text;
        return new BindAddress(name switch { "*" => "0.0.0.0", "::*" => "::", _ => name }, mayBeAbsent);
    }

    /// <summary>Whether it may be an address or a name.</summary>
    public bool IsValid => Uri.CheckHostName(Name) != UriHostNameType.Unknown;

    /// <summary>The IP addresses of the name, perhaps by a look-up.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The name is unknown.</exception>
    public IPAddress[] Resolve() =>
        IPAddress.TryParse(Name, out var address) ? [address] : Dns.GetHostAddresses(Name);
}
