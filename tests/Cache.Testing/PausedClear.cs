using Cache.Core;
using Cache.Core.Sharding;

namespace Cache.Testing;

/// <summary>A clear that has reserved room in the journal when something else takes place.</summary>
internal static class PausedClear
{
    public static void Run(CacheStore store, Action beside)
    {
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.ClearReserved)
                beside();
        });
        try
        {
            store.Clear();
        }
        finally
        {
            RoomSteps.Observe(null);
        }
    }
}
