using System.Threading.Channels;

namespace Cache.Server.PubSub;

/// <summary>The messages that wait for a subscriber in the process: bounded; what comes then is dropped.</summary>
/// <param name="capacity">The most messages.</param>
internal sealed class LocalQueue(int capacity)
{
    /// <summary>The most bytes of the messages: as many as a client may have.</summary>
    public const long BytesMax = 32 << 20;

    private readonly Channel<LocalMessage> _waiting =
        System.Threading.Channels.Channel.CreateBounded<LocalMessage>(capacity);
    private long _bytes;
    private long _dropped;

    public long DroppedCount => Interlocked.Read(ref _dropped);

    public int Count => _waiting.Reader.Count;

    /// <summary>Adds a message; never waits.</summary>
    /// <returns>Whether there was room.</returns>
    public bool TryAdd(in LocalMessage message)
    {
        long bytes = SizeOf(message);
        if (Interlocked.Add(ref _bytes, bytes) <= BytesMax && _waiting.Writer.TryWrite(message))
            return true;
        Interlocked.Add(ref _bytes, -bytes);
        Interlocked.Increment(ref _dropped);
        return false;
    }

    public bool TryTake(out LocalMessage message)
    {
        if (!_waiting.Reader.TryRead(out message))
            return false;
        Interlocked.Add(ref _bytes, -SizeOf(message));
        return true;
    }

    /// <summary>Waits for a message; false: none will come.</summary>
    public ValueTask<bool> WaitAsync(CancellationToken token) => _waiting.Reader.WaitToReadAsync(token);

    /// <summary>Takes no more.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    private static long SizeOf(in LocalMessage message) => message.Channel.Length + (long)message.Payload.Length;
}
