using System.Collections.Concurrent;

namespace Cache.Server.Commands;

/// <summary>The clients that are connected. Thread-safe.</summary>
internal sealed class ClientRegistry(ServerState server)
{
    private readonly ConcurrentDictionary<long, ClientSession> _clients = new();
    private long _lastId;
    private long _accepted;
    private long _acceptedBaseline;
    private long _rejected;
    private int _count;

    /// <summary>How many there are.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Connections that were accepted since the last reset of statistics.</summary>
    public long AcceptedCount => Interlocked.Read(ref _accepted) - Interlocked.Read(ref _acceptedBaseline);

    /// <summary>Connections that were refused because of the limit.</summary>
    public long RejectedCount => Interlocked.Read(ref _rejected);

    /// <summary>Adds a client that has connected.</summary>
    /// <param name="endPoints">Both ends of its connection.</param>
    /// <param name="connection">What the action gets, so that all clients can share one.</param>
    /// <param name="abort">Ends its connection at once; called from any thread.</param>
    /// <param name="descriptor">Of its socket; negative where there is none.</param>
    /// <returns>Null if there are too many: reply "ERR max number of clients reached" and close.</returns>
    public ClientSession? TryAdd(
        ClientEndPoints endPoints, object connection, Action<object> abort, int descriptor = -1)
    {
        int count = Interlocked.Increment(ref _count);
        int above = count - server.Settings.MaxClients;
        if (above > (endPoints.IsLocal ? server.Settings.ReservedClients : 0))
        {
            Interlocked.Decrement(ref _count);
            Interlocked.Increment(ref _rejected);
            return null;
        }

        Interlocked.Increment(ref _accepted);
        var client = new ClientSession(
            Interlocked.Increment(ref _lastId),
            endPoints,
            server.Users.Default,
            server.Store.NowMs,
            connection,
            abort)
        {
            IsAuthenticated = !server.Users.IsPasswordRequired,
            IsReserved = above > 0,
            Descriptor = descriptor,
        };
        _clients[client.Id] = client;
        server.ClientMemory.Add(ClientMemory.IdleClientBytes);
        return client;
    }

    /// <summary>Removes a client whose connection has ended.</summary>
    public void Remove(ClientSession client)
    {
        if (!_clients.TryRemove(client.Id, out _))
            return;
        Interlocked.Decrement(ref _count);
        server.ClientMemory.Add(-ClientMemory.IdleClientBytes);
        client.EndCount(server.ClientMemory);
    }

    /// <summary>The client of that number; null if there is none.</summary>
    public ClientSession? Find(long id) => _clients.GetValueOrDefault(id);

    /// <summary>All clients in the order in which they connected.</summary>
    public List<ClientSession> ToList()
    {
        List<ClientSession> clients = [.. _clients.Values];
        clients.Sort(static (one, other) => one.Id.CompareTo(other.Id));
        return clients;
    }

    /// <summary>Ends the clients of users that are no more; the one that caused it after its reply.</summary>
    public void Disconnect(List<AclUser> users, ClientSession? caller)
    {
        if (users.Count == 0)
            return;

        // The users are gone from the list before the clients are looked at; see AclUsers.Admit.
        Interlocked.MemoryBarrier();
        foreach (var client in ToList())
        {
            if (!users.Contains(client.User))
                continue;
            if (client == caller)
                client.CloseAfterReply();
            else
                client.Kill();
        }
    }

    /// <summary>Counts connections from 0 again.</summary>
    public void ResetCounts()
    {
        Interlocked.Exchange(ref _acceptedBaseline, Interlocked.Read(ref _accepted));
        Interlocked.Exchange(ref _rejected, 0);
    }
}
