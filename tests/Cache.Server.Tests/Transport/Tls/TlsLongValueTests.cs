using System.Buffers;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using Cache.Core;
using Cache.Server.Transport;
using Cache.Server.Transport.Tls;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Long values over TLS: decrypted to where they stay, encrypted from where they lie.</summary>
public sealed class TlsLongValueTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public static TheoryData<RespTransport, SslProtocols> Versions => TlsRequestTests.Versions;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Read_IntoATarget_FillsItAndNoMore(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        List<string> problems = [];
        var settings = new TlsSettings
        {
            TlsCertificateFile = _certificates.CertificateFile,
            TlsKeyFile = _certificates.KeyFile,
            HandshakeTimeout = TimeSpan.FromMinutes(1),
        };
        var options = TlsCertificateReader.Read(settings, problems)!;
        var connection = new TlsConnection(pair.Server, settings, options);
        var opening = connection.OpenAsync();
        using var client = new TlsClient(pair.Client);
        await client.OpenAsync(certificate: null, SslProtocols.None);
        await opening;
        var input = (FillingPipeReader)connection.Input;
        byte[] sent = LongRequestTests.Pattern(700_000);
        var sending = client.SendAsync(sent);

        // What was decrypted as usual, and not consumed, comes before the target gets anything.
        var read = await input.ReadAsync(Token);
        input.AdvanceTo(read.Buffer.GetPosition(1), read.Buffer.End);
        var target = new ArrayTarget(300_001);
        read = await input.ReadAsync(target);
        int done = 1 + (int)read.Buffer.Length;
        Assert.True(read.Buffer.ToArray().AsSpan().SequenceEqual(sent.AsSpan(1, done - 1)));
        Assert.Equal(0, target.Filled);
        input.AdvanceTo(read.Buffer.End);

        for (int filled = 0; filled < target.Bytes.Length; filled = target.Filled)
        {
            read = await input.ReadAsync(target);
            Assert.True(read.Buffer.IsEmpty);
            Assert.InRange(target.Filled, filled + 1, target.Bytes.Length);
            input.AdvanceTo(read.Buffer.End);
        }

        Assert.True(target.Bytes.AsSpan().SequenceEqual(sent.AsSpan(done, target.Filled)));
        done += target.Filled;
        while (done < sent.Length)
        {
            read = await input.ReadAsync(Token);
            byte[] bytes = read.Buffer.ToArray();
            Assert.True(bytes.AsSpan().SequenceEqual(sent.AsSpan(done, bytes.Length)));
            done += bytes.Length;
            input.AdvanceTo(read.Buffer.End);
        }

        await sending;
        await client.EndSendingAsync();
        Assert.True((await input.ReadAsync(new ArrayTarget(10))).IsCompleted);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public Task Sets_OfLongValuesInAnyPieces_AreTakenWhole(RespTransport transport, SslProtocols version) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            var random = new Random(seed);
            await using var server = await TlsServer.StartAsync(_certificates, transport);
            var store = server.Server.State.Store;
            using var client = await server.ConnectAsync(protocols: version);
            byte[][] values = [.. Enumerable.Range(0, 12).Select(
                _ => LongRequestTests.Pattern(random.Next(random.Next(2) == 0 ? 200_000 : 1_500_000)))];
            byte[] all = [.. values.SelectMany(
                (value, i) => (byte[])[.. LongRequestTests.Set($"k{i}", value.Length, value), .. "PING\r\n"u8])];
            string replies = string.Concat(Enumerable.Repeat("+OK\r\n+PONG\r\n", values.Length));
            var reading = client.ReadAsync(replies.Length);
            for (int sent = 0; sent < all.Length;)
            {
                int piece = random.Next(3) == 0 ? random.Next(1, 20) : random.Next(300_000);
                int count = Math.Min(all.Length - sent, piece);
                await client.SendAsync(all[sent..(sent + count)]);
                sent += count;
                if (random.Next(3) == 0)
                    await Task.Delay(1, Token);
            }

            Assert.Equal(replies, await reading);
            for (int i = 0; i < values.Length; i++)
                Assert.True(store.GetArray(Encoding.ASCII.GetBytes($"k{i}")).AsSpan().SequenceEqual(values[i]));
            Assert.Equal(all.Length, server.Server.State.Statistics.SumTraffic().InputBytes);
            await Polling.WhileAsync(() => server.Server.State.Clients.Find(1)!.HeldBytes > 0);
        });

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task SetAndGet_OfLengthsAtThresholds_AreWhole(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        foreach (int length in LongRequestTests.Lengths.Append(1 << 20).Append((1 << 20) + 1))
        {
            byte[] value = LongRequestTests.Pattern(length);
            await client.SendAsync([.. LongRequestTests.Set("k", length, value), .. "GET k\r\nPING\r\n"u8]);

            string expected = $"+OK\r\n${length}\r\n{Encoding.Latin1.GetString(value)}\r\n+PONG\r\n";
            Assert.True(expected == await client.ReadAsync(expected.Length));
        }
    }

    public static TheoryData<RespTransport, int> LongAndVeryLong { get; } = new()
    {
        { RespTransport.Portable, 100_000 },
        { RespTransport.Portable, 3_000_000 },
        { SocketPair.Usual, 100_001 },
        { SocketPair.Usual, 3_000_001 },
    };

    [Theory]
    [MemberData(nameof(LongAndVeryLong))]
    public async Task Client_ThatVanishesInALongValue_LeavesNothing(RespTransport transport, int length)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        var state = server.Server.State;
        byte[] set = LongRequestTests.Set("k", length, LongRequestTests.Pattern(length));
        using var client = await server.ConnectAsync();
        await client.SendAsync(set);
        Assert.Equal("+OK\r\n", await client.ReadAsync("+OK\r\n".Length));
        await client.SendAsync(set[..(2 * length / 3)]);
        await Polling.WhileAsync(() => state.Clients.Find(1)!.HeldBytes < length / 2);

        client.Socket.LingerState = new LingerOption(enable: true, seconds: 0);
        client.Dispose();

        await Polling.WhileAsync(() => state.ClientMemory.Bytes > 0 || state.Clients.Count > 0);
        Assert.Equal(1, state.Store.Count);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Sets_BeyondTheLimitOfMemory_AreRefused_AndTheClientGoesOn(RespTransport transport)
    {
        const int Length = 1_000_000;
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        var store = server.Server.State.Store;
        store.Eviction = EvictionPolicy.None;
        using var client = await server.ConnectAsync();
        byte[] value = LongRequestTests.Pattern(Length);
        int taken = 0;
        string reply;
        do
        {
            await client.SendAsync(LongRequestTests.Set($"{taken++:D3}", Length, value));
            reply = await client.ReadAsync("+OK\r\n".Length);
        }
        while (reply == "+OK\r\n");

        Assert.Equal("-OOM ", reply);
        while (await client.ReadAsync(1) != "\n")
        {
        }

        Assert.InRange(taken, 32, (64 << 20) / Length);
        await client.ExpectAsync("FLUSHALL\r\nPING\r\n", "+OK\r\n+PONG\r\n");
        await client.SendAsync(LongRequestTests.Set("k", Length, value));
        Assert.Equal("+OK\r\n", await client.ReadAsync("+OK\r\n".Length));
        Assert.True(store.GetArray("k"u8).AsSpan().SequenceEqual(value));
    }
}
