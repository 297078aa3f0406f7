using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A plain entry of locked buckets, whose record the new value fits.</summary>
internal readonly record struct HeldOverwrite(Bucket Home, Bucket Holder, int Slot, Record Record);
