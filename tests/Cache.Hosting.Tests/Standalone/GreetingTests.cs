using System.Net;
using System.Net.Sockets;
using StandaloneServer;

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
}
