using System.Buffers;
using System.Numerics;

namespace Cache.Core.Collections;

/// <summary>Pooled arrays that grow.</summary>
internal static class PooledGrowth
{
    /// <summary>The array itself if it is long enough; else a longer one with the same beginning.</summary>
    /// <param name="array">A pooled array, which is given back if another is returned.</param>
    /// <param name="used">How many elements are copied.</param>
    /// <param name="lengthMin">How long it must be.</param>
    public static T[] Fit<T>(T[] array, int used, int lengthMin)
    {
        if (array.Length >= lengthMin)
            return array;
        var longer = ArrayPool<T>.Shared.Rent((int)BitOperations.RoundUpToPowerOf2((uint)lengthMin));
        array.AsSpan(0, used).CopyTo(longer);
        ArrayPool<T>.Shared.Return(array);
        return longer;
    }
}
