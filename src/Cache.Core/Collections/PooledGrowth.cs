using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Collections;

/// <summary>Arrays that grow: pooled ones, but the large ones, which the pool would keep.</summary>
internal static class PooledGrowth
{
    private const int PooledBytesMax = 1 << 20;

    public static T[] Rent<T>(int lengthMin) => IsPooled<T>(lengthMin)
        ? ArrayPool<T>.Shared.Rent(lengthMin)
        : GC.AllocateUninitializedArray<T>(lengthMin);

    public static void Return<T>(T[] array)
    {
        if (array.Length > 0 && IsPooled<T>(array.Length))
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

    private static bool IsPooled<T>(int length) => (long)length * Unsafe.SizeOf<T>() <= PooledBytesMax;
}
