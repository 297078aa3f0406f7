using Cache.Core;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Migration;

/// <summary>A key on its way.</summary>
/// <param name="key">The key.</param>
internal sealed class MigratedKey(byte[] key)
{
    public byte[] Key => key;

    /// <summary>Sees writes from before it was read; null: the key stays here.</summary>
    public WatchedName? Watch { get; set; }

    /// <summary>How often it was sent.</summary>
    public int Attempts { get; set; }

    /// <summary>What the target has answered; null: nothing yet.</summary>
    public string? Answer { get; set; }

    /// <summary>Whether the target has it as it was sent.</summary>
    public bool IsThere => Answer is [not '-', ..];

    /// <summary>Removes it here, if it is what was sent.</summary>
    /// <returns>False if it has changed since: it must be sent again.</returns>
    /// <exception cref="IOException">The journal takes no writes: nothing was done.</exception>
    public bool TryRemove(CacheStore store)
    {
        var removal = new Removal(this, store.Keyspace);
        store.Transact(ref removal);
        return removal.IsDone;
    }

    // As in EXEC: under the lock of the key, what was not noted has not happened.
    private struct Removal(MigratedKey migrated, int keyspace) : ITransaction
    {
        public bool IsDone { get; private set; }

        public readonly int KeyCount => 1;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => 0;

        public readonly ReadOnlySpan<byte> GetKey(int index) => migrated.Key;

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            var watch = migrated.Watch!;
            bool isThere = store.TryPeekInfo(migrated.Key, out var info);
            if (isThere && info.Kind != EntryKind.String)
                store.TryPeekCollection(migrated.Key, out _);
            IsDone = !watch.IsTouched && isThere == watch.WasThere;
            if (IsDone && isThere)
                store.Remove(migrated.Key);
        }
    }
}
