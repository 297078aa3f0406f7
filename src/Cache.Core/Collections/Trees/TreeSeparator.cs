using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>What stands between two neighbours in their parent.</summary>
internal static class TreeSeparator
{
    /// <summary>The bytes beside the right one's key: of equal keys those that tell them apart, else none.</summary>
    public static ReadOnlySpan<byte> Between<TOrder>(
        ulong left, ReadOnlySpan<byte> leftName, ulong right, ReadOnlySpan<byte> rightName)
        where TOrder : struct, ITreeOrder
    {
        if (TOrder.KeySize == 0 || left != right)
            return default;
        int common = leftName.CommonPrefixLength(rightName);
        Debug.Assert(common < rightName.Length, "The right one is greater.");
        return rightName[..(common + 1)];
    }
}
