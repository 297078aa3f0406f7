namespace Cache.Server.Statistics;

/// <summary>A key that is used often.</summary>
/// <param name="Key">The key.</param>
/// <param name="Database">The database of the clients that used it.</param>
/// <param name="ReadsPerSecond">Requests that read it, by samples of the last seconds.</param>
/// <param name="WritesPerSecond">Requests that write it.</param>
internal readonly record struct HotKey(byte[] Key, int Database, double ReadsPerSecond, double WritesPerSecond)
{
    /// <summary>The requests that use it.</summary>
    public double Rate => ReadsPerSecond + WritesPerSecond;
}
