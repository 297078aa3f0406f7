namespace Cache.Core;

/// <summary>Atomic reads and writes of some keys: <see cref="CacheStore.Transact"/>.</summary>
public interface ITransaction : ITransactionKeys
{
    /// <summary>Reads and writes the keys, while other threads that need one of them wait.</summary>
    /// <param name="store">
    /// A view of the transaction's store, with the same keyspace. Valid until this returns, only on this thread. Do not
    /// use the store itself here: it would wait for ever for the locked keys.
    /// </param>
    void Run(CacheStore store);
}
