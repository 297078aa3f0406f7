using System.Diagnostics;
using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>A prefix of broadcasts: its clients, and the keys that have changed since the last message.</summary>
/// <remarks>
/// Two buffers: one is filled under the gate, which writers of the store take under the lock of a bucket, while the
/// other is sent, by one thread at a time.
/// </remarks>
/// <param name="prefix">The bytes.</param>
/// <param name="begun">Called under the gate with the first change since the last message.</param>
internal sealed class TrackedPrefix(byte[] prefix, Action<TrackedPrefix> begun)
{
    private readonly Lock _gate = new();
    private volatile ClientSession[] _clients = [];
    private ChangedKeys _changed = new();
    private ChangedKeys _sent = new();

    public byte[] Prefix { get; } = prefix;

    /// <summary>The clients; replaced as a whole, under the gate of the <see cref="PrefixTable"/>.</summary>
    public IReadOnlyList<ClientSession> Clients => _clients;

    /// <summary>Notes a changed key.</summary>
    public void Note(ReadOnlySpan<byte> key, long writer)
    {
        Debug.Assert(key.StartsWith(Prefix));
        lock (_gate)
        {
            if (_changed.IsEmpty)
                begun(this);
            _changed.Add(key, writer);
        }
    }

    /// <summary>The keys that have changed, in order; valid until the next call. For one thread at a time.</summary>
    public ChangedKeys Take()
    {
        _sent.Clear();
        lock (_gate)
            (_changed, _sent) = (_sent, _changed);
        _sent.Sort();
        return _sent;
    }

    /// <summary>Adds a client, unless it is there; under the gate of the table.</summary>
    public void Add(ClientSession client)
    {
        if (Array.IndexOf(_clients, client) < 0)
            _clients = [.. _clients, client];
    }

    /// <summary>Removes a client; under the gate of the table.</summary>
    /// <returns>Whether it was the last.</returns>
    public bool Remove(ClientSession client)
    {
        _clients = Array.FindAll(_clients, one => one != client);
        return _clients.Length == 0;
    }
}
