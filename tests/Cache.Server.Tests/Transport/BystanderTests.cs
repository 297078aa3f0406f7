using System.Net.Sockets;
using System.Text;

namespace Cache.Server.Tests.Transport;

/// <summary>A client beside others, on the same loop, whose requests are made to take long.</summary>
public sealed class BystanderTests : TransportTestBase
{
    // Without turns of its own a bystander has the one before the attack begins, and perhaps another.
    private const int TurnsMin = 10;

    // An attack of some 100 ms may be over before a machine that others use lets the bystander have its thread, five
    // times in a row at times. Without turns no number of attacks has more than the two.
    private const int AttacksMax = 50;

    public static TheoryData<RespTransport, string> Attacks()
    {
        var data = new TheoryData<RespTransport, string>();
        foreach (var transport in (RespTransport[])[RespTransport.Epoll, RespTransport.Portable])
        {
            foreach (string attack in (string[])["lcs", "scan", "setrange", "keys", "docs", "mget"])
                data.Add(transport, attack);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Attacks))]
    public async Task Ping_BesideAnAttack_IsAnsweredMeanwhile(RespTransport transport, string attack)
    {
        Fill();
        await using var server = await StartAsync(transport, ioThreadCount: 1);
        using var attacker = Connect(server);
        using var bystander = Connect(server);
        await PingAsync(bystander);

        byte[] requests = Encoding.Latin1.GetBytes(RequestsOf(attack));
        int most = 0;
        for (int i = 0; i < AttacksMax && most < TurnsMin; i++)
            most = Math.Max(most, await CountTurnsAsync(attacker, requests, bystander));
        Assert.InRange(most, TurnsMin, int.MaxValue);
        Assert.InRange(server.Workers.Count, 1, long.MaxValue);
    }

    /// <returns>How many PINGs were answered during one attack.</returns>
    private static async Task<int> CountTurnsAsync(Socket attacker, byte[] requests, Socket bystander)
    {
        int turns = 0;
        var attacked = ReadRepliesAsync(attacker);
        await SendAllAsync(attacker, requests);
        while (!attacked.IsCompleted)
        {
            await PingAsync(bystander);
            turns += attacked.IsCompleted ? 0 : 1;
        }

        await attacked;
        return turns;
    }

    private void Fill()
    {
        byte[] text = new byte[11_580];
        new Random(1).NextBytes(text);
        Store.Set("r1"u8, text);
        new Random(2).NextBytes(text);
        Store.Set("r2"u8, text);
        Store.Set("long"u8, new byte[8 << 20]);
        byte[] key = new byte[12];
        for (int i = 0; i < 100_000; i++)
        {
            i.TryFormat(key, out int length, "D12");
            Store.Set(key.AsSpan(0, length), "v"u8);
        }
    }

    // Each in one receive, with an ECHO behind it whose reply tells that all before it were given. No more than needed:
    // who executes them gives way to all others, and beside other tests sixty LCS took a minute and a half.
    private static string RequestsOf(string attack)
    {
        (string[] request, int times) = attack switch
        {
            "lcs" => (new[] { "LCS", "r1", "r2", "LEN" }, 6),
            "scan" => (["SCAN", "0", "MATCH", "zz*", "COUNT", "100000"], 50),
            "setrange" => (["SETRANGE", "z", "200000000", "x"], 6),
            "keys" => (["KEYS", "*1*2*3*4*5*6*7*8*9*0*b"], 10),
            "docs" => (["COMMAND", "DOCS", "get"], 300),
            _ => (["MGET", "long", "long", "long", "long"], 8),
        };
        var text = new StringBuilder();
        for (int i = 0; i < times; i++)
            Append(text, request);
        Append(text, "ECHO", "the last reply");
        return text.ToString();
    }

    private static void Append(StringBuilder text, params string[] arguments)
    {
        text.Append('*').Append(arguments.Length).Append("\r\n");
        foreach (string argument in arguments)
            text.Append('$').Append(argument.Length).Append("\r\n").Append(argument).Append("\r\n");
    }

    private static async Task PingAsync(Socket client)
    {
        await SendAllAsync(client, "PING\r\n"u8.ToArray());
        byte[] reply = new byte[7];
        await ReceiveAllAsync(client, reply);
        Assert.Equal("+PONG\r\n"u8.ToArray(), reply);
    }

    // Its thread is not the bystander's.
    private static Task ReadRepliesAsync(Socket client) => Task.Run(
        async () =>
        {
            byte[] last = "the last reply\r\n"u8.ToArray();
            byte[] bytes = new byte[1 << 20];
            int kept = 0;
            while (true)
            {
                int received = await client.ReceiveAsync(bytes.AsMemory(kept), Token);
                Assert.NotEqual(0, received);
                int end = kept + received;
                if (bytes.AsSpan(0, end).EndsWith(last))
                    return;
                kept = Math.Min(end, last.Length);
                bytes.AsSpan(end - kept, kept).CopyTo(bytes);
            }
        },
        Token);
}
