namespace Cache.Durability.Attachment;

/// <summary>How far a load is. One thread loads, any thread looks.</summary>
internal sealed class LoadProgress
{
    private long _totalBytes;
    private long _loadedBytes;
    private long _records;

    /// <summary>Ends the load.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>What the files have; of a journal that is still in use that is more than what is read.</summary>
    public long TotalBytes
    {
        get => Volatile.Read(ref _totalBytes);
        set => Volatile.Write(ref _totalBytes, value);
    }

    public long LoadedBytes
    {
        get => Volatile.Read(ref _loadedBytes);
        set => Volatile.Write(ref _loadedBytes, value);
    }

    public long Records
    {
        get => Volatile.Read(ref _records);
        set => Volatile.Write(ref _records, value);
    }
}
