using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The number that a slot begins with.</summary>
internal static unsafe class TreeKey
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load; the length is a constant.
    public static ulong Read<TOrder>(byte* at)
        where TOrder : struct, ITreeOrder =>
        TOrder.KeySize == sizeof(uint) ? *(uint*)at : TOrder.KeySize == sizeof(ulong) ? *(ulong*)at : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One store; the length is a constant.
    public static void Write<TOrder>(byte* at, ulong key)
        where TOrder : struct, ITreeOrder
    {
        Debug.Assert(TOrder.KeySize == sizeof(ulong) || key >> (8 * TOrder.KeySize) == 0, "The key has more bits.");
        AddressCheck.InRange(at, TOrder.KeySize);
        if (TOrder.KeySize == sizeof(uint))
            *(uint*)at = (uint)key;
        if (TOrder.KeySize == sizeof(ulong))
            *(ulong*)at = key;
    }

    /// <summary>
    /// The first of some slots whose hash is not less: where it should be, if hashes are evenly spread between bounds.
    /// </summary>
    /// <remarks>It walks from there: a slot or two, and at most through the page.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A search by hash is this, once for each level.
    public static int Guess(byte* slots, int stride, int from, int count, ulong key, ulong low, ulong high)
    {
        Debug.Assert(low < high);
        int i = (int)((double)(key - low) / (high - low) * count);
        i = Math.Clamp(i, from, Math.Max(from, count - 1));
        byte* slot = slots + i * stride;
        if (i < count && *(uint*)slot < key)
        {
            do
            {
                i++;
                slot += stride;
            }
            while (i < count && *(uint*)slot < key);
            return i;
        }

        for (; i > from && *(uint*)(slot - stride) >= key; slot -= stride)
            i--;
        return i;
    }
}
