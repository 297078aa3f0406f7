using Cache.Core;
using Cache.Server.Clients;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Whether a command that reads several collections is too much work for this thread.</summary>
internal static class KeysWork
{
    // The time for a byte of a collection, and for a key, in nanoseconds.
    private const long ByteWork = 10;
    private const long KeyWork = 1_000;

    // A collection in one record has fewer bytes.
    private const long LargeMin = 16 << 10;

    /// <summary>As <see cref="CommandContext.TryGiveWay(long)"/>, by the length of the collections.</summary>
    public static bool TryGiveWay<TKeys>(in TKeys keys, CommandContext context)
        where TKeys : struct, IKeySource, allows ref struct
    {
        if (!context.SharesThread)
            return false;
        long work = 0;
        for (int i = 0; i < keys.Count && work <= Turn.WorkMax; i++)
        {
            work += KeyWork;
            if (context.Store.TryPeekInfo(keys.GetKey(i), out var info))
                work += (info.MemoryBytes > LargeMin ? info.MemoryBytes : info.Length) * ByteWork;
        }

        return context.TryGiveWay(work);
    }
}
