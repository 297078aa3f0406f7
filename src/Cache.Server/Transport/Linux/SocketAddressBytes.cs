using System.Buffers.Binary;
using System.Net;
using System.Runtime.CompilerServices;

namespace Cache.Server.Transport.Linux;

/// <summary>An address of the kernel, <c>struct sockaddr_storage</c>.</summary>
/// <remarks>
/// <code>
///         0        2      4           8               24      28
///  IPv4   | family | port | address   |
///  IPv6   | family | port | flow info | address       | scope |
/// </code>
/// The family is in the machine's order, as is the scope; the port in the network's.
/// </remarks>
[InlineArray(Length)]
internal struct SocketAddressBytes
{
    public const int Length = 128;

    private const ushort Version6 = 10;
    private const int PortStart = 2;
    private const int Address4Start = 4;
    private const int Address6Start = 8;
    private const int ScopeStart = 24;
    private const int EndOf6 = 28;

    private byte _first;

    /// <summary>Reads the address of an IP socket.</summary>
    /// <param name="bytes">The bytes from the kernel.</param>
    /// <param name="likely">Returned if it is the same address, so that many connections share one object.</param>
    public static (IPAddress Address, int Port) Read(ReadOnlySpan<byte> bytes, IPAddress likely)
    {
        int port = BinaryPrimitives.ReadUInt16BigEndian(bytes[PortStart..]);
        bool isVersion6 = BitConverter.ToUInt16(bytes) == Version6;
        var ip = isVersion6 ? bytes[Address6Start..ScopeStart] : bytes[Address4Start..Address6Start];
        uint scope = isVersion6 ? BitConverter.ToUInt32(bytes[ScopeStart..EndOf6]) : 0;
        Span<byte> other = stackalloc byte[ScopeStart - Address6Start];
        return likely.TryWriteBytes(other, out int length) && ip.SequenceEqual(other[..length])
            && scope == (isVersion6 ? likely.ScopeId : 0)
                ? (likely, port)
                : (isVersion6 ? new IPAddress(ip, scope) : new IPAddress(ip), port);
    }
}
