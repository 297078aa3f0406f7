namespace Cache.Durability.Attachment;

/// <summary>The progress of a load. Written by the loading thread, read by any.</summary>
internal sealed class LoadProgress
{
    private long _totalBytes;
    private long _loadedBytes;
    private long _records;

    /// <summary>Ends the load.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>The bytes of the files; more than will be read if a journal is not full.</summary>
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
