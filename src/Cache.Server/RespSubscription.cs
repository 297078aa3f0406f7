using System.Runtime.CompilerServices;
using Cache.Server.PubSub;

namespace Cache.Server;

/// <summary>A subscription in the process to channels and patterns of a server.</summary>
/// <remarks>
/// Messages wait until they are read, up to a number of them and 32 MB; those that come then are dropped, and counted:
/// a publisher never waits. Several readers share the messages. Thread-safe.
/// </remarks>
public sealed class RespSubscription : IAsyncEnumerable<RespMessage>, IDisposable
{
    /// <summary>The most messages that can be made to wait.</summary>
    public const int CapacityMax = 1 << 20;

    private readonly LocalQueue _queue;
    private readonly Subscriptions _subscriptions;

    internal RespSubscription(ChannelTable table, int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, CapacityMax);
        _queue = new LocalQueue(capacity);
        _subscriptions = new Subscriptions(table, _queue);
    }

    /// <summary>How many messages were dropped, since too many waited.</summary>
    public long DroppedCount => _queue.DroppedCount;

    /// <summary>How many messages wait to be read.</summary>
    public int WaitingCount => _queue.Count;

    internal Subscriptions Subscriptions => _subscriptions;

    /// <summary>Takes the next message, if one waits.</summary>
    /// <param name="message">The message.</param>
    /// <returns>Whether one waited.</returns>
    public bool TryRead(out RespMessage message)
    {
        bool isTaken = _queue.TryTake(out var taken);
        message = isTaken ? new RespMessage(taken.Pattern, taken.Channel, taken.Payload) : default;
        return isTaken;
    }

    /// <summary>Waits for messages and reads them, until <see cref="Dispose"/>.</summary>
    /// <param name="cancellationToken">Ends the wait by an <see cref="OperationCanceledException"/>.</param>
    /// <returns>The enumerator.</returns>
    public IAsyncEnumerator<RespMessage> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        ReadAsync(cancellationToken).GetAsyncEnumerator(cancellationToken);

    /// <summary>Ends the subscription; readers end when they have read what waits.</summary>
    public void Dispose()
    {
        _subscriptions.End();
        _queue.Complete();
    }

    private async IAsyncEnumerable<RespMessage> ReadAsync([EnumeratorCancellation] CancellationToken token)
    {
        while (await _queue.WaitAsync(token).ConfigureAwait(false))
        {
            while (TryRead(out var message))
                yield return message;
        }
    }
}
