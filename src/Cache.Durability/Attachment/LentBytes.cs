namespace Cache.Durability.Attachment;

/// <summary>Bounds the memory of values that the store has lent until they are written.</summary>
/// <remarks>
/// The record of such a value is a few bytes, so with a slow disk the chunks alone would not bound the number of
/// values. Each writing thread may exceed the bound by the values of one write. Concurrency: any thread takes, under
/// the locks of keys and without waiting; a waiting thread has no lock; the thread that writes the journal gives back.
/// </remarks>
internal sealed class LentBytes
{
    /// <summary>Four times the chunks: a disk takes long parts faster than small records.</summary>
    public const long BytesMax = 64 << 20;

    private readonly object _gate = new();
    private long _lent;

    /// <summary>Whether more may be lent.</summary>
    public bool HasRoom => Volatile.Read(ref _lent) < BytesMax;

    public void Take(int length) => Interlocked.Add(ref _lent, length);

    /// <summary>Waits until more may be lent.</summary>
    public void Wait()
    {
        lock (_gate)
        {
            while (!HasRoom)
                Monitor.Wait(_gate);
        }
    }

    public void Return(int length)
    {
        lock (_gate)
        {
            Interlocked.Add(ref _lent, -length);
            Monitor.PulseAll(_gate);
        }
    }
}
