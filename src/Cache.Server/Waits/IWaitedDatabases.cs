using Cache.Core;

namespace Cache.Server.Waits;

/// <summary>
/// Which database has which keyspace: clients wait for keys of a database, and stores change keyspaces.
/// </summary>
internal interface IWaitedDatabases
{
    /// <summary>The number of databases.</summary>
    int Count { get; }

    /// <summary>The database that a keyspace is at the moment. Called under the lock of a bucket.</summary>
    int FindDatabase(int keyspace);

    /// <summary>Whether a script takes long, so that nobody else may use a keyspace, or what is held.</summary>
    bool IsBusy { get; }

    /// <summary>The keys that a script uses, which nobody else may; during a visit.</summary>
    HeldKeys? Held { get; }

    /// <summary>Called by who has put something off, to be told when keys are held no more.</summary>
    /// <returns>False: they are not any more.</returns>
    bool TryNotePutOff();

    /// <summary>Calls a method while no two databases are swapped, on a thread that uses none.</summary>
    void Visit(Action<object> action, object state);

    /// <summary>The keyspace of a database; during a visit.</summary>
    CacheStore this[int database] { get; }
}
