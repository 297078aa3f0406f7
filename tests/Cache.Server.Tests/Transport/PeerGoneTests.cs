using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Cache.Server.Transport.Linux;

namespace Cache.Server.Tests.Transport;

/// <summary>Clients that close while their command is parked and much of what they sent lies unread.</summary>
public sealed class PeerGoneTests : TransportTestBase
{
    // The portable transport receives 256 KB and then pauses, the other one 1 MB. What lies there in the system, the
    // end among it, fits its buffers.
    public static TheoryData<RespTransport, int> Unread { get; } = EpollTransport.IsSupported
        ? new()
        {
            { RespTransport.Portable, 288 * 1024 }, { RespTransport.Epoll, 32 * 1024 },
            { RespTransport.Epoll, 1000 * 1024 },
        }
        : new() { { RespTransport.Portable, 32 * 1024 } };

    [Theory]
    [MemberData(nameof(Unread))]
    public async Task Wait_OfAClientThatSentMuchMoreAndClosed_Ends(RespTransport transport, int unreadBytes)
    {
        await using var server = await StartAsync(transport);
        using var other = Connect(server);
        using (var client = Connect(server))
        {
            await SendAllAsync(client, "WAIT 1 0\r\n"u8.ToArray());
            await SendAllAsync(client, Encoding.ASCII.GetBytes(new string(' ', unreadBytes)));
            while (!(await InfoOfClientsAsync(other)).Contains("blocked_clients:1", StringComparison.Ordinal))
                await Task.Yield();
        }

        while (!(await InfoOfClientsAsync(other)).Contains("connected_clients:1\r", StringComparison.Ordinal))
            await Task.Delay(10, Token); // The sweep looks once a second.
    }

    private static async Task<string> InfoOfClientsAsync(Socket client)
    {
        await SendAllAsync(client, "INFO clients\r\n"u8.ToArray());
        byte[] buffer = new byte[4096];
        var reply = new StringBuilder();
        do
        {
            int count = await client.ReceiveAsync(buffer, Token);
            Assert.NotEqual(0, count);
            reply.Append(Encoding.ASCII.GetString(buffer, 0, count));
        }
        while (!IsWhole(reply.ToString()));

        return reply.ToString();
    }

    private static bool IsWhole(string reply)
    {
        int end = reply.IndexOf("\r\n", StringComparison.Ordinal);
        return end > 0 && reply.Length == end + 4 + int.Parse(reply.AsSpan(1, end - 1), CultureInfo.InvariantCulture);
    }
}
