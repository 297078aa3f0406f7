using System.Collections.Concurrent;
using Cache.Core;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Clients;

/// <summary>The clients that are connected. Thread-safe.</summary>
internal sealed class ClientRegistry
{
    private readonly ServerSettings _settings;
    private readonly AclUsers _users;
    private readonly CacheStore _store;
    private readonly ConcurrentDictionary<long, ClientSession> _clients = new();
    private long _lastId;
    private long _accepted;
    private long _acceptedBaseline;
    private long _rejected;
    private int _count;

    /// <param name="settings">The limits of their number and their memory.</param>
    /// <param name="users">Has the user that a new client is.</param>
    /// <param name="store">Its clock dates clients; its entries make room for their memory.</param>
    /// <param name="report">Called when a client meets a limit, with its address and the value.</param>
    public ClientRegistry(
        ServerSettings settings, AclUsers users, CacheStore store, Action<ConnectionLimit, string, long> report)
    {
        _settings = settings;
        _users = users;
        _store = store;
        Memory = new ClientMemory(settings, store, this, report);
    }

    /// <summary>The memory of all clients.</summary>
    public ClientMemory Memory { get; }

    /// <summary>The number of clients.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Connections that were accepted since the last reset of statistics.</summary>
    public long AcceptedCount => Interlocked.Read(ref _accepted) - Interlocked.Read(ref _acceptedBaseline);

    /// <summary>Connections that were refused because of the limit.</summary>
    public long RejectedCount => Interlocked.Read(ref _rejected);

    /// <summary>Adds a client that has connected.</summary>
    /// <param name="endPoints">Both ends of its connection.</param>
    /// <param name="connection">The argument of the action, so that all clients can share one action.</param>
    /// <param name="abort">Ends its connection at once; called from any thread.</param>
    /// <param name="descriptor">The descriptor of its socket; negative if there is none.</param>
    /// <param name="post">Executes short work on the thread of its transport; null: at once.</param>
    /// <returns>Null if there are too many: reply "ERR max number of clients reached" and close.</returns>
    public ClientSession? TryAdd(
        ClientEndPoints endPoints, object connection, Action<object> abort, int descriptor = -1,
        Action<object, Action<object>, object>? post = null)
    {
        int count = Interlocked.Increment(ref _count);
        int above = count - _settings.MaxClients;
        if (above > (endPoints.IsLocal ? _settings.ReservedClients : 0))
        {
            Interlocked.Decrement(ref _count);
            Interlocked.Increment(ref _rejected);
            return null;
        }

        Interlocked.Increment(ref _accepted);
        var client = new ClientSession(
            Interlocked.Increment(ref _lastId),
            endPoints,
            _users.Default,
            _store.NowMs,
            connection,
            abort,
            post)
        {
            IsAuthenticated = !_users.IsPasswordRequired,
            IsReserved = above > 0,
            Descriptor = descriptor,
        };
        _clients[client.Id] = client;
        Memory.Add(ClientMemory.IdleClientBytes);
        return client;
    }

    /// <summary>Removes a client whose connection has ended.</summary>
    public void Remove(ClientSession client)
    {
        if (!_clients.TryRemove(client.Id, out _))
            return;
        Interlocked.Decrement(ref _count);
        Memory.Add(-ClientMemory.IdleClientBytes);
        client.EndCount(Memory);
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

    /// <summary>Gives a client a user; ends the client if the user was removed meanwhile.</summary>
    public void Admit(ClientSession client, AclUser user)
    {
        client.User = user;
        client.IsAuthenticated = true;

        // The thread that removes a user looks at the clients afterwards: either it sees this client, or this sees the
        // removal.
        Interlocked.MemoryBarrier();
        if (_users.Find(user.Name) != user)
            client.CloseAfterReply();
    }

    /// <summary>Ends the clients of removed users; the caller after its reply.</summary>
    public void Disconnect(List<AclUser> users, ClientSession? caller)
    {
        if (users.Count == 0)
            return;

        // The users are gone from the list before the clients are looked at; see Admit.
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
