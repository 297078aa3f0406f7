using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Keyspace;

/// <summary>The lengths of hot keys' values, looked up within a bound.</summary>
/// <remarks>
/// A look at an entry waits for a thread that holds it, and that may hang: then a package or a doctor is wanted most.
/// So a thread of its own looks, one at a time, since those of the pool may all be busy; who asks waits for it, and for
/// the one before, within a bound. At most one thread hangs.
/// </remarks>
internal static class HotKeyLengths
{
    /// <summary>What stands for a length that was not found in time.</summary>
    public const long Unknown = -1;

    // More than a busy machine needs to start a thread, and twice of it is not too long for a package.
    private static readonly TimeSpan _waitMax = TimeSpan.FromSeconds(1.5);

    /// <summary>The length of each key's value; 0: there is none; or <see cref="Unknown"/>.</summary>
    public static long[] Read(ServerState server, IReadOnlyList<HotKey> keys)
    {
        if (keys.Count == 0)
            return [];
        var found = new Found(keys.Count);
        if (server.Lookups.Wait(_waitMax) && TryStart(server, keys, found))
            found.IsDone.Wait(_waitMax);
        return found.ToArray();
    }

    private static bool TryStart(ServerState server, IReadOnlyList<HotKey> keys, Found found)
    {
        try
        {
            new Thread(() => Look(server, keys, found)) { IsBackground = true, Name = "cache-lookup" }.Start();
            return true;
        }
        catch (OutOfMemoryException)
        {
            server.Lookups.Release(); // The system has no thread.
            return false;
        }
    }

    private static void Look(ServerState server, IReadOnlyList<HotKey> keys, Found found)
    {
        try
        {
            for (int i = 0; i < keys.Count; i++)
            {
                bool isThere = server.Databases[keys[i].Database].TryPeekInfo(keys[i].Key, out var info);
                found.Set(i, isThere ? info.Length : 0);
            }
        }
#pragma warning disable CA1031 // No figure is worth the process; the store may have been disposed.
        catch (Exception)
#pragma warning restore CA1031
        {
            // The others stay unknown.
        }
        finally
        {
            server.Lookups.Release();
            found.IsDone.Set();
        }
    }

    // Read while it may still be written. Never disposed: who looks may be late.
    private sealed class Found(int count)
    {
        private readonly long[] _lengths = [.. Enumerable.Repeat(Unknown, count)];

        public ManualResetEventSlim IsDone { get; } = new();

        public void Set(int index, long length) => Volatile.Write(ref _lengths[index], length);

        public long[] ToArray()
        {
            long[] lengths = new long[_lengths.Length];
            for (int i = 0; i < lengths.Length; i++)
                lengths[i] = Volatile.Read(ref _lengths[i]);
            return lengths;
        }
    }
}
