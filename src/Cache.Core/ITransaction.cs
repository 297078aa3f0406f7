namespace Cache.Core;

/// <summary>Reads and writes of some keys that take place at one moment: <see cref="CacheStore.Transact"/>.</summary>
public interface ITransaction : ITransactionKeys
{
    /// <summary>Reads and writes the keys, while other threads that want one of them wait.</summary>
    /// <param name="store">
    /// A view of the store that the transaction was begun on, of the same keyspace. Valid until this returns, in this
    /// thread alone. The store itself must not be used here: a key that is locked would be waited for, for ever.
    /// </param>
    void Run(CacheStore store);
}
