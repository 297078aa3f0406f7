using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Looks at the kinds of a block's records, without reading them.</summary>
internal static class BlockScan
{
    /// <summary>
    /// Whether a record concerns more than its own key, or other blocks, or is not a record: then the block is applied
    /// after all blocks before it, and before all behind it. Else only the records of a key have an order.
    /// </summary>
    /// <param name="payload">The records; untrusted.</param>
    public static bool NeedsOrder(ReadOnlySpan<byte> payload)
    {
        while (payload.Length != 0)
        {
            if (!RecordLayout.TryReadHead(payload, out int size, out var kind, out var flags))
                return true;
            bool isSingle = kind is RecordKind.Void or RecordKind.Set or RecordKind.Remove or RecordKind.Expire
                or RecordKind.Patch or RecordKind.Group or RecordKind.Elements;
            if (!isSingle || (kind != RecordKind.Void && (flags & RecordFlags.Parted) != 0))
                return true;
            payload = payload[(kind == RecordKind.Group ? RecordLayout.GroupHeadSize : size)..]; // Its records follow.
        }

        return false;
    }
}
