using System.Diagnostics.CodeAnalysis;
using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>Finds out what the servers are, one or a cluster, and has the links to them.</summary>
/// <remarks>
/// Asks the named servers in turn until one answers. Of a cluster it asks again while no primary is linked: all of them
/// may have moved. Concurrency: one loop; the links and the map have their own.
/// </remarks>
internal sealed class NearTopology : IAsyncDisposable
{
    private static readonly TimeSpan _lookInterval = TimeSpan.FromSeconds(1);

    private readonly NearContext _context;
    private readonly ServerAddress[] _servers;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource<RespClientException?> _firstOutcome =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly WriteChannel? _channel;
    private volatile NearLink? _single;
    private volatile ClusterMap? _map;
    private volatile RespClientException? _lookFailure;
    private Task _looking = Task.CompletedTask;

    public NearTopology(NearContext context)
    {
        _context = context;
        _servers =
        [
            .. context.Options.Servers.EndPoints.Select(
                text => ServerAddress.TryParse(text, out var address) ? address : default),
        ];
        if (!context.IsTracked)
            _channel = new WriteChannel(context, FindLinked);
    }

    public NearLink[] Links => _single is { } single ? [single] : _map?.Links ?? [];

    /// <summary>The failure of the first attempt to link a primary; null: it was made.</summary>
    public Task<RespClientException?> FirstOutcome => _firstOutcome.Task;

    /// <summary>Why no named server could be asked, while there is no link; null: that was not so.</summary>
    public RespClientException? LookFailure => Links.Length == 0 ? _lookFailure : null;

    /// <summary>Whether a failure says that the servers will not do it, rather than that they cannot now.</summary>
    public static bool IsRefusal([NotNullWhen(true)] RespClientException? failure) =>
        failure is { ErrorCode: not (null or "LOADING" or "CLUSTERDOWN" or "MASTERDOWN") };

    /// <summary>Whether there are links, and all prove what they are.</summary>
    public static bool AreLeased(NearLink[] links) =>
        links.Length > 0 && Array.TrueForAll(links, static link => link.IsLeased);

    /// <summary>Whether other processes' writes are heard of, where servers do not tell.</summary>
    public bool IsListening => _channel?.IsOpen == true;

    /// <summary>Why they last were not; null: they always were.</summary>
    public RespClientException? ListeningFailure => _channel?.LastFailure;

    public void Start()
    {
        _looking = LookAsync();
        _channel?.Start();
    }

    /// <summary>This process has written a key: other processes are told, where servers do not.</summary>
    public void Tell(ReadOnlySpan<byte> key) => _channel?.Tell(key);

    /// <summary>
    /// The link that a server has named as the one of a key; null: it is no cluster, or has too many.
    /// </summary>
    public NearLink? LinkTo(ServerAddress address) => _map?.LinkTo(address);

    /// <summary>
    /// The link that a key is asked through; in a cluster another one, if that has no connection now.
    /// </summary>
    public NearLink? RouteOf(ReadOnlySpan<byte> key)
    {
        var link = _context.Owners.RouteOf(key);
        if (link?.Connection is not null || _map is not { } map)
            return link;
        return Array.Find(map.Links, static other => other.Connection is not null) ?? link;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        if (_channel is not null)
            await _channel.DisposeAsync().ConfigureAwait(false);
        await _looking.ConfigureAwait(false);
        if (_single is { } single)
            await single.DisposeAsync().ConfigureAwait(false);
        if (_map is { } map)
            await map.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    private RespConnection? FindLinked()
    {
        foreach (var link in Links)
        {
            if (link.Connection is { } connection)
                return connection;
        }

        return null;
    }

    private async Task LookAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (_single is null)
            {
                if (!Links.Any(link => link.Connection is not null))
                    await LookOnceAsync().ConfigureAwait(false);
                if (_single is null)
                    await Task.Delay(_lookInterval, _context.Time, _stop.Token).ConfigureAwait(false);
            }
        }
        catch (Exception) when (_stop.IsCancellationRequested)
        {
            _firstOutcome.TrySetResult(new RespClientException("The near cache was closed"));
        }
    }

    private async Task LookOnceAsync()
    {
        if (_context.Options.Servers.ServiceName is not null)
        {
            await LinkSingleAsync(new SentinelTarget(_context)).ConfigureAwait(false);
            return;
        }

        RespClientException? last = null;
        for (int i = 0; i < _servers.Length; i++)
        {
            try
            {
                await AskAsync(i).ConfigureAwait(false);
                return;
            }
            catch (Exception failure) when (!_stop.IsCancellationRequested)
            {
                last = failure as RespClientException ?? new RespClientException(failure.Message, failure);
            }
        }

        _lookFailure = last;
        _firstOutcome.TrySetResult(last);
    }

    private async Task AskAsync(int index)
    {
        var connection = await RespConnection.OpenAsync(
            _servers[index], _context.Options.Servers, null, _stop.Token).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            if (connection.Mode == "cluster")
            {
                var request = new RespRequestWriter().Begin(2).Add("CLUSTER"u8).Add("SLOTS"u8);
                var reply = await connection.DemandAsync(request, "CLUSTER SLOTS", _stop.Token).ConfigureAwait(false);
                await LinkClusterAsync(ClusterReplies.ReadSlots(reply, _servers[index])).ConfigureAwait(false);
                return;
            }
        }

        await LinkSingleAsync(new SingleTarget(_context, _servers, index)).ConfigureAwait(false);
    }

    private async Task LinkSingleAsync(ILinkTarget target)
    {
        var link = new NearLink(_context, target);
        _context.Owners.GiveAllTo(link);
        _single = link;
        link.Start();
        _firstOutcome.TrySetResult(await link.FirstOutcome.WaitAsync(_stop.Token).ConfigureAwait(false));
    }

    private async Task LinkClusterAsync(List<SlotRange> ranges)
    {
        if (ranges.Count == 0)
            throw new RespClientException("No server of the cluster has slots");
        var map = _map ??= new ClusterMap(_context);
        RespClientException? failure = null;
        foreach (var address in ranges.Select(range => range.Address).Distinct())
        {
            if (map.LinkTo(address) is { } link)
                failure = await link.FirstOutcome.WaitAsync(_stop.Token).ConfigureAwait(false) ?? failure;
        }

        _firstOutcome.TrySetResult(failure);
    }
}
