using System.Collections.Concurrent;
using Cache.Client;
using Cache.Near.Flights;
using Cache.Near.Links;

namespace Cache.Near;

/// <summary>Reads: from here, from a read under way, or from the server.</summary>
public sealed partial class NearCache
{
    // So many are asked for together: a window of replies fits the buffers of a socket.
    private const int WindowCount = 256;

    // One read of a key at a time; those that come meanwhile wait for it.
    private readonly ConcurrentDictionary<string, Fill> _flights = new(StringComparer.Ordinal);

    /// <inheritdoc/>
    public ValueTask<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled<byte[]?>(token);
        byte[] bytes = BytesOf(key);
        return TryFindLocal(bytes, out byte[]? value)
            ? ValueTask.FromResult(value)
            : new ValueTask<byte[]?>(FillAsync(key, bytes, token));
    }

    /// <inheritdoc/>
    public async ValueTask<byte[]?[]> GetManyAsync(IReadOnlyList<string> keys, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        token.ThrowIfCancellationRequested();
        var values = new byte[]?[keys.Count];
        List<(int Index, Task<byte[]?> Task)> window = [];
        for (int i = 0; i < values.Length; i++)
        {
            byte[] bytes = BytesOf(keys[i]);
            if (!TryFindLocal(bytes, out values[i]))
                window.Add((i, FillAsync(keys[i], bytes, token)));
            if (window.Count == WindowCount)
                await EndAsync(window, values).ConfigureAwait(false);
        }

        await EndAsync(window, values).ConfigureAwait(false);
        return values;
    }

    private static async Task EndAsync(List<(int Index, Task<byte[]?> Task)> window, byte[]?[] values)
    {
        await Task.WhenAll(window.Select(each => each.Task)).ConfigureAwait(false);
        foreach (var (index, task) in window)
            values[index] = await task.ConfigureAwait(false);
        window.Clear();
    }

    /// <returns>Whether it is known here; the value may be that there is none.</returns>
    private bool TryFindLocal(byte[] key, out byte[]? value)
    {
        value = null;
        if (_owners.Of(key) is not { IsLeased: true })
            return false;
        value = _entries.Get(key);
        return value is not null || _entries.IsAbsent(key);
    }

    private async Task<byte[]?> FillAsync(string key, byte[] bytes, CancellationToken token)
    {
        var link = _owners.Of(bytes);
        if (link?.IsLeased != true)
            _context.Counters.AddBypass();
        try
        {
            return await FlightOf(key, bytes).WaitAsync(_context.Options.Servers.ReplyTimeout, token)
                .ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            var failure = link?.Connection?.Late("read") ?? new RespClientException("There was no reply in time");
            return Unreachable(link, bytes, failure);
        }
        catch (RespClientException failure) when (failure.ErrorCode is null)
        {
            return Unreachable(link, bytes, failure);
        }
    }

    private Task<byte[]?> FlightOf(string key, byte[] bytes)
    {
        if (_flights.TryGetValue(key, out var flight))
        {
            _context.Counters.AddJoin();
            return flight.Task;
        }

        bool isInside = IsInside(bytes);
        if (!isInside)
            _context.Counters.AddOutside();
        Fill? own = null;
        own = new Fill(_context, _topology, _entries, _layout, bytes, isInside)
        {
            Ending = () => _flights.TryRemove(new KeyValuePair<string, Fill>(key, own!)),
        };
        flight = _flights.GetOrAdd(key, own);
        if (flight == own)
        {
            _context.Counters.AddFill();
            own.Start();
        }

        return flight.Task;
    }

    private byte[]? Unreachable(NearLink? link, byte[] key, RespClientException failure)
    {
        _context.Counters.AddUnreachable();
        var policy = _context.Options.WhenUnreachable;
        if (policy.Throws)
            throw failure;
        return link?.MayServeStale == true ? _entries.Get(key) : null;
    }
}
