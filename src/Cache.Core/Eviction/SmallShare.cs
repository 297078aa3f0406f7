namespace Cache.Core.Eviction;

/// <summary>The share of the live bytes for the small list, following the workload.</summary>
/// <remarks>
/// A key that comes back soon after it was evicted from the small list says that this list is too small; one that was
/// evicted from main says the opposite. Each moves the share by its own size, as in ARC (Megiddo and Modha, FAST'03),
/// but with weights of its own. Concurrency: read and written without order; a lost change is one key's worth.
/// </remarks>
internal sealed class SmallShare
{
    /// <summary>Where it begins: the size that S3-FIFO's authors found to filter best; few workloads differ.</summary>
    public const double Least = 0.1;

    /// <summary>Main keeps a tenth, or nothing would ever be learnt from it.</summary>
    public const double Most = 0.9;

    // Found by replaying traces: a small list that is too large costs most workloads more than one that is too small,
    // and its keys come back sooner than main's, so that a key of main weighs seven times as much.
    private const double GrowthWeight = 4;
    private const double ShrinkWeight = 28;

    private double _value = Least;

    public double Value => Volatile.Read(ref _value);

    /// <summary>Takes note of a key that came back.</summary>
    /// <param name="wasInMain">Which list it was evicted from.</param>
    /// <param name="size">Its part of all that the store may hold, 0 to 1.</param>
    public void Learn(bool wasInMain, double size)
    {
        double change = wasInMain ? -size * ShrinkWeight : size * GrowthWeight;
        Volatile.Write(ref _value, Math.Clamp(Value + change, Least, Most));
    }
}
