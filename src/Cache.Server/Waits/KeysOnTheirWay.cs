namespace Cache.Server.Waits;

/// <summary>The keys that clients send to other servers just now, to remove them here. Thread-safe.</summary>
/// <remarks>
/// A key is sent by one at a time. Of two that send one, the second would find that it has gone, as if somebody had
/// removed it, and would have it removed where the first has sent it.
/// </remarks>
internal sealed class KeysOnTheirWay
{
    /// <summary>
    /// The most clients at a time: each has a descriptor beside its own, of those that are kept for files and threads
    /// (<see cref="DescriptorLimit.Reserve"/>).
    /// </summary>
    public const int ClientsMax = 8;

    private readonly Lock _gate = new();
    private readonly Dictionary<int, HashSet<byte[]>> _keys = []; // By keyspaces.
    private int _clients;

    /// <summary>Begins for a client.</summary>
    /// <param name="keyspace">The keys' keyspace.</param>
    /// <param name="keys">Each once; none if they stay here too.</param>
    /// <returns>Why it must not; null: it may.</returns>
    public string? TryBegin(int keyspace, IReadOnlyList<byte[]> keys)
    {
        lock (_gate)
        {
            if (_clients == ClientsMax)
                return "ERR too many clients use MIGRATE at a time, try again";
            if (!_keys.TryGetValue(keyspace, out var present))
                _keys[keyspace] = present = new HashSet<byte[]>(new KeyBytesComparer());
            if (keys.Any(present.Contains))
                return "ERR another client sends one of the keys to a server just now, try again";
            present.UnionWith(keys);
            _clients++;
            return null;
        }
    }

    /// <summary>Ends for a client that has begun.</summary>
    public void End(int keyspace, IReadOnlyList<byte[]> keys)
    {
        lock (_gate)
        {
            _keys[keyspace].ExceptWith(keys);
            if (--_clients == 0)
                _keys.Clear();
        }
    }
}
