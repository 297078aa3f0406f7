namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Registers of the sparse form that follow each other and are equal.</summary>
/// <param name="Value">Their value.</param>
/// <param name="Count">Their number.</param>
/// <param name="Length">The bytes that say it.</param>
internal readonly record struct HllRun(int Value, int Count, int Length)
{
    /// <summary>Whether it is zeros in two bytes.</summary>
    public bool IsLong => Length == 2;
}
