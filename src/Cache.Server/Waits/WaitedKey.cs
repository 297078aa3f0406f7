using Cache.Core;

namespace Cache.Server.Waits;

/// <summary>A key for which clients wait. Under the table's gate.</summary>
internal sealed class WaitedKey(int database, byte[] bytes)
{
    private readonly WaitQueue?[] _queues = new WaitQueue?[(int)EntryKind.Stream + 1];

    public int Database => database;

    public byte[] Bytes => bytes;

    /// <summary>The number of places in its queues.</summary>
    public int Places { get; set; }

    /// <summary>How many of its waiters hear of removals.</summary>
    public int RemovalHearers { get; set; }

    /// <summary>Whether it is among the keys whose waiters are to be served.</summary>
    public bool IsReady { get; set; }

    /// <summary>Adds its waiters to a list.</summary>
    public void AddWaiters(List<Waiter> waiters)
    {
        foreach (var queue in _queues)
        {
            for (var place = queue?.First; place is not null; place = place.Next)
                waiters.Add(place.Waiter);
        }
    }

    /// <summary>The waiters of a kind; null: none so far.</summary>
    public WaitQueue? Find(EntryKind kind) => _queues[(int)kind];

    /// <summary>The waiters of a kind.</summary>
    public WaitQueue Get(EntryKind kind) => _queues[(int)kind] ??= new WaitQueue();
}
