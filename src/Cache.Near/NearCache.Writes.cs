using Cache.Near.Flights;
using Cache.Near.Layouts;
using Cache.Protocol;

namespace Cache.Near;

/// <summary>Writes: through to the server.</summary>
public sealed partial class NearCache
{
    /// <inheritdoc/>
    public ValueTask SetAsync(
        string key, ReadOnlyMemory<byte> value, TimeSpan? life = null, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        long lifeMs = life is { } given ? (long)given.TotalMilliseconds : 0;
        if (life is not null && lifeMs < 1)
            ThrowNoLife(life.Value);
        long expiresAtMs = lifeMs > 0 ? _context.Time.GetUtcNow().ToUnixTimeMilliseconds() + lifeMs : 0;
        return new ValueTask(SetAsync(key, new StoredEntry(value.ToArray(), 0, expiresAtMs), lifeMs, token));
    }

    /// <inheritdoc/>
    public ValueTask RemoveAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        byte[] bytes = BytesOf(key);
        var request = new RespRequestWriter().Begin(2).Add("DEL"u8).Add(bytes);
        return new ValueTask(WriteAsync("DEL", bytes, request, 1, token));
    }

    internal Task SetAsync(string key, in StoredEntry entry, long lifeMs, CancellationToken token)
    {
        byte[] bytes = BytesOf(key);
        var requests = new RespRequestWriter();
        int count = _layout.WriteSet(requests, bytes, entry, lifeMs);
        return WriteAsync("write", bytes, requests, count, token);
    }

    private Task WriteAsync(
        string command, byte[] key, RespRequestWriter requests, int count, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        var write = new OwnWrite(_context, _topology, command, key, requests, count);
        write.Start();
        return write.Task.WaitAsync(_context.Options.Servers.ReplyTimeout, token);
    }
}
