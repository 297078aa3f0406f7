using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Removes the expired fields of a hash that the sweep has met.</summary>
internal static class FieldSweep
{
    // Of a sweep, in one large hash: some thousands of fields, in some milliseconds.
    private const int StepsMax = 64;

    /// <summary>Lets the sweep of a store remove fields.</summary>
    public static void Attach(StoreState state) =>
        state.Reclaimer.FieldRemover = (key, keyspace) => Remove(state, key, keyspace);

    /// <summary>Removes all expired fields of a hash of any length; for a load.</summary>
    public static void RemoveAll(StoreState state, in EntryKey key)
    {
        var edit = new RemoveExpiredEdit(state.Fields.NowMs);
        while (ObjectWriter.Write(state, key, ref edit) == WriteStatus.Done && edit.IsMore)
        {
        }
    }

    private static bool Remove(StoreState state, byte[] key, byte keyspace)
    {
        var entryKey = new EntryKey(key, keyspace, state.HashOf(key, keyspace));
        var edit = new RemoveExpiredEdit(state.Fields.NowMs);
        try
        {
            for (int i = 0; i < StepsMax; i++)
            {
                if (ObjectWriter.Write(state, entryKey, ref edit) != WriteStatus.Done || !edit.IsMore)
                    break;
            }

            return true;
        }
        catch (IOException)
        {
            return false; // The journal refuses writes: nobody sees the fields, and the next sweep meets them again.
        }
    }
}
