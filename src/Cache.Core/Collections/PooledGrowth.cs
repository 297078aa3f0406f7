using System.Buffers;
using System.Numerics;

namespace Cache.Core.Collections;

/// <summary>Arrays that grow: pooled ones, but the large ones, which the pool would keep.</summary>
internal static class PooledGrowth
{
    // Up to a megabyte of the longest elements.
    private const int PooledLengthMax = 1 << 15;

    public static T[] Rent<T>(int lengthMin) => lengthMin <= PooledLengthMax
        ? ArrayPool<T>.Shared.Rent(lengthMin)
        : GC.AllocateUninitializedArray<T>(lengthMin);

    public static void Return<T>(T[] array)
    {
        if (array.Length is > 0 and <= PooledLengthMax)
            ArrayPool<T>.Shared.Return(array);
    }

    /// <summary>The array itself if it is long enough; else a longer one with the same beginning.</summary>
    /// <param name="array">A rented array, which is given back if another is returned.</param>
    /// <param name="used">How many elements are copied.</param>
    /// <param name="lengthMin">How long it must be.</param>
    public static T[] Fit<T>(T[] array, int used, int lengthMin)
    {
        if (array.Length >= lengthMin)
            return array;
        var longer = Rent<T>((int)BitOperations.RoundUpToPowerOf2((uint)lengthMin));
        array.AsSpan(0, used).CopyTo(longer);
        Return(array);
        return longer;
    }
}
