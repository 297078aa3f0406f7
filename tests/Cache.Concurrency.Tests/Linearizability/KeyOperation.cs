namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>One operation of a recorded history of one key, with the moments between which it took place.</summary>
internal readonly record struct KeyOperation(
    OperationKind Kind, int Thread, long Argument, bool Succeeded, long Result, long InvokedAt, long ReturnedAt)
{
    /// <summary>
    /// Whether the answer never came: the operation may have taken place at any moment since, with any answer, or not
    /// at all.
    /// </summary>
    public bool IsLost => ReturnedAt == long.MaxValue;
}
