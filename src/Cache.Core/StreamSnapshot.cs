using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Streams;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A stream as it was at one moment, made by <see cref="StreamKey.TakeSnapshot"/>.</summary>
/// <remarks>
/// Reads of it agree with each other, whatever is written meanwhile, and hold no lock. Names are valid until it is
/// disposed. Dispose it soon: what is overwritten meanwhile stays in memory.
/// <example><code>
/// using StreamSnapshot log = store.Stream("log"u8).TakeSnapshot(out ReadStatus status);
/// if (status == ReadStatus.Found)
/// {
///     for (StreamGroups groups = log.GetGroups(); groups.MoveNext();)
///         Console.WriteLine(groups.Current.Lag);
/// }
/// </code></example>
/// </remarks>
public ref struct StreamSnapshot : IDisposable
{
    private readonly StoreState _state;
    private readonly EntryRoom _room;
    private CollectionCopy _copy;
    private bool _isDisposed;

    internal StreamSnapshot(StoreState state, CollectionCopy copy)
    {
        _state = state;
        _copy = copy;
        _room = EntryRoom.Rent();
    }

    /// <summary>What is known of the stream.</summary>
    public readonly StreamInfo Info
    {
        get
        {
            var query = new StreamInfoQuery(_room);
            query.Read(_copy.View);
            _state.ThrowIfDisposed();
            return query.Info;
        }
    }

    private readonly StreamView View => new(_copy.View);

    /// <summary>Tells the entries of a range.</summary>
    /// <param name="from">The least id.</param>
    /// <param name="to">The greatest id.</param>
    /// <param name="count">The most that are told.</param>
    /// <param name="isReversed">Whether the greatest id comes first.</param>
    /// <param name="sink">Receives the entries; none if the range is empty.</param>
    public readonly void GetRange<TSink>(
        StreamId from, StreamId to, long count, bool isReversed, ref TSink sink)
        where TSink : struct, IStreamSink, allows ref struct =>
        StreamRange.Tell(_state, _copy.View, from, to, count, isReversed, _room, ref sink);

    /// <summary>The groups, by their names.</summary>
    public readonly StreamGroups GetGroups() => new(View, Info);

    /// <summary>What is known of a group.</summary>
    /// <returns>False if there was none.</returns>
    public readonly bool TryGetGroup(ReadOnlySpan<byte> group, out StreamGroupInfo info)
    {
        bool isFound = View.TryFindGroup(group, out var found);
        info = isFound ? StreamGroups.InfoOf(View, Info, found) : default;
        return isFound;
    }

    /// <summary>The consumers of a group, by their names; none if there is no such group.</summary>
    public readonly StreamConsumers GetConsumers(ReadOnlySpan<byte> group) =>
        new(View, View.TryFindGroup(group, out var found) ? found.Number : 0);

    /// <summary>What is known of a consumer of a group.</summary>
    /// <returns>False if there was none.</returns>
    public readonly bool TryGetConsumer(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, out StreamConsumerInfo info)
    {
        info = default;
        if (!View.TryFindGroup(group, out var found)
            || !View.TryFindConsumer(found.Number, consumer, out var one))
        {
            return false;
        }

        info = StreamConsumers.InfoOf(View, found.Number, one);
        return true;
    }

    /// <summary>The entries that consumers of a group have not acknowledged, by their ids, from one on.</summary>
    public readonly StreamPendings GetPending(ReadOnlySpan<byte> group, StreamId from) =>
        View.TryFindGroup(group, out var found)
            ? new StreamPendings(View, found.Number, consumer: 0, from)
            : default;

    /// <summary>The entries that one consumer has not acknowledged, by their ids, from one on.</summary>
    public readonly StreamPendings GetPending(ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, StreamId from) =>
        View.TryFindGroup(group, out var found) && View.TryFindConsumer(found.Number, consumer, out var one)
            ? new StreamPendings(View, found.Number, one.Number, from)
            : default;

    /// <summary>Gives back what it held; reads are not allowed any more.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _room.Dispose();
        _copy.Dispose();
    }
}
