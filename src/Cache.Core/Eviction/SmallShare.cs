namespace Cache.Core.Eviction;

/// <summary>The share of the live bytes for the small list; adapts to the workload.</summary>
/// <remarks>
/// A key that comes back soon after it was evicted from the small list says that this list is too small; one that was
/// evicted from main says the opposite. Each moves the share by its own size, as in ARC (Megiddo and Modha, FAST'03),
/// but with weights of its own. Concurrency: read and written without order; a lost change is one key's worth.
/// </remarks>
internal sealed class SmallShare
{
    /// <summary>The initial share, which S3-FIFO's authors found to filter best; few workloads differ.</summary>
    public const double Least = 0.1;

    /// <summary>Main keeps at least a tenth: else nothing would be learnt from its evictions.</summary>
    public const double Most = 0.9;

    // Found by replaying traces: for most workloads a small list that is too large costs more than one that is too
    // small, and its keys come back sooner than main's, so a key of main weighs seven times as much.
    private const double GrowthWeight = 4;
    private const double ShrinkWeight = 28;

    private double _value = Least;
    private bool _isChosen;

    public double Value => Volatile.Read(ref _value);

    /// <summary>Sets the share that simulations have found best; from now on it does not follow the keys.</summary>
    public void Choose(double share)
    {
        Volatile.Write(ref _isChosen, true);
        Volatile.Write(ref _value, share);
    }

    /// <summary>Takes note of a key that came back.</summary>
    /// <param name="wasInMain">Which list it was evicted from.</param>
    /// <param name="size">Its fraction of the store's limit, 0 to 1.</param>
    public void Learn(bool wasInMain, double size)
    {
        if (Volatile.Read(ref _isChosen))
            return;
        double change = wasInMain ? -size * ShrinkWeight : size * GrowthWeight;
        Volatile.Write(ref _value, Math.Clamp(Value + change, Least, Most));
    }
}
