using System.Runtime.CompilerServices;

namespace Cache.Server.Waits;

/// <summary>Says of most keys that nobody waits for them, without a lock.</summary>
/// <remarks>
/// A table of counters by hashes of keys. Counters change under the table's gate; a thread that has written a key reads
/// one after the bucket's compare-exchange, and a waiter looks at the key after it has counted itself: either the one
/// sees the counter, or the other the write.
/// </remarks>
internal sealed class WaitFilter
{
    // 10,000 keys leave 86 % of the counters at 0; 64 KB, once somebody waits.
    private const int CounterCount = 1 << 14;

    private readonly int[] _counters = new int[CounterCount];

    /// <summary>The counter of a key.</summary>
    public static int IndexOf(ReadOnlySpan<byte> key)
    {
        var hash = default(HashCode);
        hash.AddBytes(key);
        return hash.ToHashCode() & (CounterCount - 1);
    }

    /// <summary>Whether somebody may wait for a key.</summary>
    public bool MayHave(ReadOnlySpan<byte> key) => Volatile.Read(ref _counters[IndexOf(key)]) != 0;

    /// <summary>Counts a waited key, or takes it back; a full fence.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Not where keys are written.
    public void Add(ReadOnlySpan<byte> key, int more) => Interlocked.Add(ref _counters[IndexOf(key)], more);
}
