using System.Diagnostics;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>The ways to lock several keys at once.</summary>
internal static class KeyLocksEntry
{
    /// <summary>Locks the homes of some hashes, and waits for claims of these.</summary>
    /// <remarks>held: The bytes that the caller has taken for entries that are not linked yet.</remarks>
    public static void Enter(
        this KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, bool isExclusive,
        HeldBytes held = default) =>
        Enter(locks, state, hashes, isExclusive, isReadable: false, held);

    /// <summary>The same, but readers may read there.</summary>
    /// <remarks>After many failed attempts the locks are exclusive, and not readable.</remarks>
    public static void EnterReadable(
        this KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, in HeldBytes held) =>
        Enter(locks, state, hashes, isExclusive: false, isReadable: true, held);

    /// <summary>Locks the homes of some hashes, even if the keys are claimed.</summary>
    public static void EnterClaimed(
        this KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, bool isExclusive) =>
        EnterClaimed(locks, state, hashes, isExclusive, isReadable: false);

    private static void Enter(
        KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, bool isExclusive, bool isReadable,
        in HeldBytes held)
    {
        for (int attempts = 0; attempts < EntryClaims.WaitsMax; attempts++)
        {
            EnterClaimed(locks, state, hashes, isExclusive, isReadable);
            if (!state.Claims.IsAnyTaken(hashes))
                return; // A later claim waits for the key's home.
            locks.Exit();
            foreach (ulong hash in hashes)
            {
                if (state.Claims.IsTaken(hash))
                    state.WaitForClaim(hash, held);
            }
        }

        ulong closed = state.CloseClaims(hashes, held);
        try
        {
            EnterClaimed(locks, state, hashes, isExclusive, isReadable);
        }
        finally // The store may have been disposed.
        {
            state.Claims.Open(closed);
        }
    }

    private static void EnterClaimed(
        KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, bool isExclusive, bool isReadable)
    {
        try
        {
            EnterCore(locks, state, hashes, isExclusive, isReadable);
        }
        catch // The store was disposed: its disposal waits for these locks.
        {
            locks.Exit();
            throw;
        }
    }

    private static void EnterCore(
        KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes, bool isExclusive, bool isReadable)
    {
        for (int attempts = 0; attempts < KeyLocks.AttemptsMax && !isExclusive; attempts++)
        {
            locks.SetReadable(isReadable);
            if (TryEnter(locks, state, hashes))
                return;
            locks.Exit();
        }

        locks.ReserveGates(state.Shards.Length);
        foreach (var shard in state.Shards)
        {
            if (IsAnyOf(state, shard, hashes))
                locks.EnterGate(shard.GrowthGate);
        }

        state.ThrowIfDisposed(); // The disposal knows how far it came by a place in the directory: nothing is split.
        bool isEntered = TryEnter(locks, state, hashes);
        Debug.Assert(isEntered, "No other thread changes the directory.");
    }

    // A page may be split between the look at the directory and the lock; then the key has another home.
    private static bool TryEnter(KeyLocks locks, StoreState state, ReadOnlySpan<ulong> hashes)
    {
        var homes = locks.HomesOf(hashes.Length);
        for (int i = 0; i < hashes.Length; i++)
            homes[i] = state.ShardOf(hashes[i]).HomeNumberOf(hashes[i]);
        locks.Lock(state, homes);
        for (int i = 0; i < hashes.Length; i++)
        {
            if (state.ShardOf(hashes[i]).HomeNumberOf(hashes[i]) != homes[i])
                return false;
        }

        locks.ReadGenerations(state);
        return true;
    }

    private static bool IsAnyOf(StoreState state, Shard shard, ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
        {
            if (state.ShardOf(hash) == shard)
                return true;
        }

        return false;
    }
}
