using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Cache.Server.Cluster;

/// <summary>A server of a cluster, by the address under which clients reach it.</summary>
/// <param name="Host">A host name, or an IP address without brackets.</param>
/// <param name="Port">Its port.</param>
internal sealed record ShardNode(string Host, int Port)
{
    // As long as the numbers of Redis's nodes: 40 hexadecimal digits.
    private const int IdBytes = 20;

    /// <summary>Its number, which follows from the address: all servers with one map tell the same numbers.</summary>
    public string Id { get; } = Convert.ToHexStringLower(
        SHA256.HashData(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Host}:{Port}")))
            .AsSpan(0, IdBytes));

    /// <summary>The address as a redirection names it: of IPv6 without brackets too.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Host}:{Port}");

    /// <summary>Reads "host:port", "10.0.0.1:6379" or "[::1]:6379".</summary>
    public static bool TryParse(string text, out ShardNode node)
    {
        int colon = text.LastIndexOf(':');
        string host = colon > 0 ? text[..colon] : "";
        if (host is ['[', .. var inner, ']'])
            host = inner;
        bool isValid = Uri.CheckHostName(host) is not (UriHostNameType.Unknown or UriHostNameType.Basic)
            && int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int port)
            && port is > 0 and <= ushort.MaxValue;
        node = isValid
            ? new ShardNode(host.ToLowerInvariant(), int.Parse(text[(colon + 1)..], CultureInfo.InvariantCulture))
            : new ShardNode("", 0);
        return isValid;
    }
}
