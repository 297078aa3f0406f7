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

    /// <summary>The IP addresses that the name stands for.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The name is unknown.</exception>
    public async ValueTask<IPAddress[]> ResolveAsync(CancellationToken cancellationToken) =>
        IPAddress.TryParse(Name, out var address)
            ? [address]
            : await Dns.GetHostAddressesAsync(Name, cancellationToken).ConfigureAwait(false);
}
