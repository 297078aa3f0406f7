using System.Globalization;
using System.Text;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>Asks sentinels which server is the primary, over a connection that it keeps to one of them.</summary>
/// <remarks>Concurrency: one question at a time.</remarks>
internal sealed class SentinelLookup(RespClientOptions options) : IAsyncDisposable
{
    private readonly RespClientOptions _ofSentinels = new()
    {
        Password = options.SentinelPassword,
        UseTls = options.UseTls,
        ConfigureTls = options.ConfigureTls,
        ConnectTimeout = options.ConnectTimeout,
        ReplyTimeout = options.ReplyTimeout,
        ClientName = options.ClientName,
    };

    private RespConnection? _connection;

    /// <summary>The primary, as the first sentinel that answers says.</summary>
    /// <exception cref="RespClientException">None answers, or none knows it; the message has what each
    /// said.</exception>
    public async Task<ServerAddress> FindPrimaryAsync(CancellationToken token)
    {
        List<string> failures = [];
        if (_connection?.Address is { } last
            && await TryAskAsync(last, failures, token).ConfigureAwait(false) is { } same)
        {
            return same;
        }

        foreach (string endPoint in options.EndPoints)
        {
            if (!ServerAddress.TryParse(endPoint, out var sentinel))
                continue; // The options were checked.
            if (await TryAskAsync(sentinel, failures, token).ConfigureAwait(false) is { } found)
                return found;
        }

        throw new RespClientException("No sentinel names the primary: " + string.Join("; ", failures));
    }

    public async ValueTask DisposeAsync()
    {
        if (_connection is not null)
            await _connection.DisposeAsync().ConfigureAwait(false);
        _connection = null;
    }

    private async Task<ServerAddress?> TryAskAsync(
        ServerAddress sentinel, List<string> failures, CancellationToken token)
    {
        try
        {
            if (_connection?.Address != sentinel || _connection.Failure is not null)
            {
                await DisposeAsync().ConfigureAwait(false);
                _connection = await RespConnection.OpenAsync(sentinel, _ofSentinels, null, token).ConfigureAwait(false);
            }

            if (await AskAsync(_connection, token).ConfigureAwait(false) is { } found)
                return found;
            failures.Add($"{sentinel} does not know \"{options.ServiceName}\"");
        }
        catch (RespClientException failure)
        {
            failures.Add(failure.Message);
        }

        await DisposeAsync().ConfigureAwait(false);
        return null;
    }

    private async Task<ServerAddress?> AskAsync(RespConnection connection, CancellationToken token)
    {
        var request = new RespRequestWriter().Begin(3)
            .Add("SENTINEL"u8).Add("get-master-addr-by-name"u8).Add(Encoding.UTF8.GetBytes(options.ServiceName!));
        var reply = await connection.DemandAsync(request, "SENTINEL", token).ConfigureAwait(false);
        if (reply.IsNull)
            return null;
        return reply.Items is [var host, var port]
            && int.TryParse(port.Text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? new ServerAddress(host.Text, number)
            : throw new RespClientException($"{connection.Address}, SENTINEL: the reply names no server");
    }
}
