using System.Numerics;

namespace Cache.Core.ManyKeys;

/// <summary>Objects that are kept for whoever needs one next. Thread-safe, without a lock.</summary>
/// <remarks>Each thread has a place, on lines of its own; threads that share one take turns, or make another.</remarks>
internal sealed class Spares<T>
    where T : class
{
    // More threads than this seldom need one at once.
    private const int PlacesMax = 16;

    // Two lines of references: processors fetch lines in pairs.
    private const int Stride = 16;

    private static readonly int _placeCount =
        (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, PlacesMax));

    // The first place stays unused: its lines have the array's length, which each access reads.
    private readonly T?[] _places = new T?[(1 + _placeCount) * Stride];

    private ref T? Own => ref _places[(1 + (Environment.CurrentManagedThreadId & (_placeCount - 1))) * Stride];

    /// <summary>Takes what is kept; null if there is nothing.</summary>
    public T? Take() => Interlocked.Exchange(ref Own, null);

    /// <summary>Keeps an object that nobody uses any more.</summary>
    public void Keep(T spare) => Volatile.Write(ref Own, spare);
}
