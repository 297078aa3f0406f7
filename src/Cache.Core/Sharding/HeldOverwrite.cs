using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A plain entry of locked buckets, whose record a value of a length fits.</summary>
internal readonly record struct HeldOverwrite(
    Bucket Home, Bucket Holder, int Slot, Record Record, int ValueLength);
