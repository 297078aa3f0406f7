namespace Cache.Server.Transport.Linux;

/// <summary>A buffer that a loop lends to one connection at a time.</summary>
/// <remarks>
/// Who keeps it is left it, and the loop takes another. Made when it is first needed. Concurrency: the loop's thread
/// uses <see cref="Current"/>; any thread gives a kept one back.
/// </remarks>
internal sealed class LoopBuffer(int length, int spareCountMax)
{
    private readonly Stack<byte[]> _spare = new();
    private byte[]? _current;

    /// <summary>The buffer. The loop's thread.</summary>
    public byte[] Current => _current ??= Take();

    /// <summary>Leaves the buffer to who has it. The loop's thread, or the one that replaces it.</summary>
    public void Leave() => _current = null;

    /// <summary>Takes back a buffer that was left to somebody. Any thread.</summary>
    public void TakeBack(byte[] buffer)
    {
        lock (_spare)
        {
            if (_spare.Count < spareCountMax)
                _spare.Push(buffer);
        }
    }

    // Pinned for ever, since the loop is nearly always in a receive during a collection.
    private byte[] Take()
    {
        lock (_spare)
        {
            if (_spare.TryPop(out byte[]? spare))
                return spare;
        }

        return GC.AllocateUninitializedArray<byte>(length, pinned: true);
    }
}
