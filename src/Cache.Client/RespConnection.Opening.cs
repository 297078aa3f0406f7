using System.Diagnostics.CodeAnalysis;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>How a connection is made: socket, TLS, HELLO, SELECT.</summary>
internal sealed partial class RespConnection
{
    /// <summary>
    /// Connects, authenticates, and agrees on the protocol: version 3, or 2 where the server has no other.
    /// </summary>
    /// <param name="address">The server.</param>
    /// <param name="options">How; its endpoints do not count.</param>
    /// <param name="sink">Takes pushes; null: they are dropped.</param>
    /// <param name="token">Ends the attempt.</param>
    /// <exception cref="RespClientException">There is no server, it refuses us, or it takes too long.</exception>
    [SuppressMessage("Reliability", "CA2000", Justification = "It is returned, or closed.")]
    public static async Task<RespConnection> OpenAsync(
        ServerAddress address, RespClientOptions options, IPushSink? sink, CancellationToken token)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(token);
        limit.CancelAfter(options.ConnectTimeout);
        RespConnection? connection = null;
        try
        {
            var credentials = await CredentialsOf(options, limit.Token).ConfigureAwait(false);
            connection = await ConnectAsync(address, options, sink, limit.Token).ConfigureAwait(false);
            connection._reading = connection.ReadAsync();
            await connection.GreetAsync(credentials, limit.Token).ConfigureAwait(false);
            return connection;
        }
        catch (Exception failure)
        {
            if (connection is not null)
                await connection.DisposeAsync().ConfigureAwait(false);
            token.ThrowIfCancellationRequested();
            throw failure switch
            {
                RespClientException => failure,
                OperationCanceledException => new RespClientException(
                    $"{address}: no connection within {options.ConnectTimeout.TotalMilliseconds:0} ms", failure),
                SocketException or IOException or AuthenticationException =>
                    new RespClientException($"{address}: {failure.Message}", failure),
                _ => failure,
            };
        }
    }

    private static async ValueTask<RespCredentials?> CredentialsOf(RespClientOptions options, CancellationToken token)
    {
        if (options.Credentials is { } ask)
            return await ask(token).ConfigureAwait(false);
        return options.Password is { } password ? new RespCredentials(options.User, password) : null;
    }

    private static async Task<RespConnection> ConnectAsync(
        ServerAddress address, RespClientOptions options, IPushSink? sink, CancellationToken token)
    {
        var socket = await address.ConnectAsync(token).ConfigureAwait(false);
        try
        {
            Stream stream = new NetworkStream(socket, ownsSocket: true);
            if (options.UseTls)
                stream = await SecureAsync(stream, address, options, token).ConfigureAwait(false);
            return new RespConnection(address, options, sink, socket, stream);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static async Task<Stream> SecureAsync(
        Stream inner, ServerAddress address, RespClientOptions options, CancellationToken token)
    {
        var secure = new SslStream(inner);
        try
        {
            var tls = new SslClientAuthenticationOptions { TargetHost = address.IsUnix ? "localhost" : address.Host };
            options.ConfigureTls?.Invoke(tls);
            await secure.AuthenticateAsClientAsync(tls, token).ConfigureAwait(false);
            return secure;
        }
        catch
        {
            await secure.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task GreetAsync(RespCredentials? credentials, CancellationToken token)
    {
        var reply = await CallAsync(Hello(credentials), "HELLO", token).ConfigureAwait(false);
        if (!reply.IsError)
        {
            ProtocolVersion = (int)reply.Find("proto"u8).Number;
            Mode = reply.Find("mode"u8).Text;
        }
        else if (reply.ErrorCode == "NOPROTO"
            || reply.Text.StartsWith("ERR unknown command", StringComparison.OrdinalIgnoreCase))
        {
            await GreetInOldWayAsync(credentials, token).ConfigureAwait(false);
        }
        else
        {
            throw Refused("HELLO", reply);
        }

        if (_options.Database > 0)
        {
            var select = new RespRequestWriter().Begin(2).Add("SELECT"u8).Add(_options.Database);
            await DemandAsync(select, "SELECT", token).ConfigureAwait(false);
        }
    }

    private RespRequestWriter Hello(RespCredentials? credentials)
    {
        int count = 2 + (credentials is null ? 0 : 3) + (_options.ClientName is null ? 0 : 2);
        var hello = new RespRequestWriter().Begin(count).Add("HELLO"u8).Add(3);
        if (credentials is { } who)
            hello.Add("AUTH"u8).Add(Utf8(who.User ?? "default")).Add(Utf8(who.Password));
        return _options.ClientName is { } name ? hello.Add("SETNAME"u8).Add(Utf8(name)) : hello;
    }

    // Before Redis 6 there are neither HELLO nor users.
    private async Task GreetInOldWayAsync(RespCredentials? credentials, CancellationToken token)
    {
        if (credentials is { } who)
        {
            var auth = new RespRequestWriter().Begin(who.User is null ? 2 : 3).Add("AUTH"u8);
            if (who.User is { } user)
                auth.Add(Utf8(user));
            await DemandAsync(auth.Add(Utf8(who.Password)), "AUTH", token).ConfigureAwait(false);
        }

        if (_options.ClientName is { } name)
        {
            var request = new RespRequestWriter().Begin(3).Add("CLIENT"u8).Add("SETNAME"u8).Add(Utf8(name));
            await CallAsync(request, "CLIENT SETNAME", token).ConfigureAwait(false);
        }
    }

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
