using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>How long a collection in one record may become: the one place that refuses longer ones.</summary>
internal static class CollectionLimits
{
    /// <summary>
    /// At most 4 KB, which is what a write moves under its lock, and an eighth of a segment, as of any record.
    /// </summary>
    /// <remarks>One that is too long since the store's limit was lowered may stay so, and become shorter.</remarks>
    public static bool MayBecome(Shard shard, in EntryKey key, int lengthBefore, int length) =>
        length <= PackedTable.LengthMax
        && (length <= lengthBefore || !shard.IsLarge(key.Bytes.Length, length));
}
