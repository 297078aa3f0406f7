using System.Net;
using System.Net.Sockets;
using Cache.Server;
using Cache.Tool.Standalone;

namespace Cache.Hosting.Tests.Standalone;

public sealed class GreetingTests
{
    [Theory]
    [InlineData("127.0.0.1", "redis-cli -p 6379")]
    [InlineData("0.0.0.0", "redis-cli -h 127.0.0.1 -p 6379")]
    [InlineData("::", "redis-cli -h ::1 -p 6379")]
    [InlineData("10.1.2.3", "redis-cli -h 10.1.2.3 -p 6379")]
    public void ConnectCommand_ReachesTheAddress(string address, string command)
    {
        var endPoint = new IPEndPoint(IPAddress.Parse(address), 6379);
        Assert.Equal(command, Greeting.ConnectCommand([endPoint], needsPassword: false));
    }

    [Fact]
    public void ConnectCommand_UnixSocketWithPassword_AsksForIt() =>
        Assert.Equal(
            "redis-cli -s /tmp/s --askpass",
            Greeting.ConnectCommand([new UnixDomainSocketEndPoint("/tmp/s")], needsPassword: true));

    [Theory]
    [InlineData(TlsClientAuthentication.None, null, "redis-cli -p 6390 --tls --cacert cert.pem")]
    [InlineData(TlsClientAuthentication.None, "ca.pem", "redis-cli -p 6390 --tls --cacert ca.pem")]
    [InlineData(
        TlsClientAuthentication.Required, "ca.pem",
        "redis-cli -p 6390 --tls --cacert ca.pem --cert <file> --key <file>")]
    public void ConnectCommand_ByTls_NamesTheAuthority(
        TlsClientAuthentication authentication, string? authority, string command)
    {
        var options = new RespServerOptions
        {
            TlsCertificateFile = "cert.pem",
            TlsCaCertificateFile = authority,
            TlsClientAuthentication = authentication,
        };
        var endPoint = new IPEndPoint(IPAddress.Loopback, 6390);
        Assert.Equal(command, Greeting.ConnectCommand([endPoint], needsPassword: false, options));
    }
}
