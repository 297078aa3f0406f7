using System.Runtime.CompilerServices;
using Cache.Core.Changes;

namespace Cache.Core;

/// <summary>Reads streams as they grow, in process.</summary>
/// <remarks>
/// While somebody reads so, each write of the store compares its key with that of the stream. An enumeration ends by
/// its token alone, or with an exception where the store was disposed.
/// </remarks>
public static class StreamFollowing
{
    // As many entries are copied at once.
    private const long EntriesMax = 256;

    // Of a stream no more than the one that passes this; a group's are copied by the store first, and bounded there.
    private const long BytesMax = 1 << 20;

    /// <summary>The entries of a stream behind an id, and those that come: waits for them without a thread.</summary>
    /// <remarks>An absent key is a stream without entries, and so is a key of another kind.</remarks>
    /// <param name="store">The store.</param>
    /// <param name="key">The key.</param>
    /// <param name="after">The id; null: only entries that come from now on.</param>
    /// <param name="token">Ends it.</param>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    public static async IAsyncEnumerable<StreamEntry> FollowStreamAsync(
        this CacheStore store, ReadOnlyMemory<byte> key, StreamId? after,
        [EnumeratorCancellation] CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        using var signal = new StreamSignal(store, key.ToArray());
        var last = after ?? LastIdOf(store, key.Span);
        var entries = new List<StreamEntry>();
        while (true)
        {
            token.ThrowIfCancellationRequested();
            signal.Reset(); // First: what comes after the look is signalled.
            Read(store, key.Span, last, entries);
            foreach (var entry in entries)
            {
                yield return entry;
                last = entry.Id;
            }

            if (entries.Count == 0)
                await signal.WaitAsync(token).ConfigureAwait(false);
            entries.Clear();
        }
    }

    /// <summary>
    /// The entries that a consumer of a group gets: those that were delivered to nobody, and those that come.
    /// </summary>
    /// <remarks>
    /// They are pending until they are acknowledged (<see cref="StreamKey.Acknowledge"/>). Up to 256 are delivered at
    /// once, before the first of them is returned.
    /// </remarks>
    /// <param name="store">The store.</param>
    /// <param name="key">The key.</param>
    /// <param name="group">The group.</param>
    /// <param name="consumer">The consumer's name; it is made with its first entry.</param>
    /// <param name="token">Ends it.</param>
    /// <exception cref="InvalidOperationException">There is no such stream, or no such group in it.</exception>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    public static async IAsyncEnumerable<StreamEntry> FollowGroupAsync(
        this CacheStore store, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> group, ReadOnlyMemory<byte> consumer,
        [EnumeratorCancellation] CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        using var signal = new StreamSignal(store, key.ToArray());
        var entries = new List<StreamEntry>();
        while (true)
        {
            token.ThrowIfCancellationRequested();
            signal.Reset();
            Read(store, key.Span, group.Span, consumer.Span, entries);
            foreach (var entry in entries)
                yield return entry;
            if (entries.Count == 0)
                await signal.WaitAsync(token).ConfigureAwait(false);
            entries.Clear();
        }
    }

    private static StreamId LastIdOf(CacheStore store, ReadOnlySpan<byte> key)
    {
        store.Stream(key).GetInfo(out var info);
        return info.LastId;
    }

    private static void Read(CacheStore store, ReadOnlySpan<byte> key, StreamId last, List<StreamEntry> entries)
    {
        if (last == StreamId.Max)
            return;
        var sink = new CopySink(entries, BytesMax);
        store.Stream(key).GetRange(last.Next, StreamId.Max, EntriesMax, isReversed: false, ref sink);
    }

    private static void Read(
        CacheStore store, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer,
        List<StreamEntry> entries)
    {
        var sink = new CopySink(entries, long.MaxValue); // All of them are delivered.
        var options = new StreamGroupRead { Count = EntriesMax };
        var status = store.Stream(key).ReadGroup(group, consumer, options, ref sink, out _);
        if (status is WriteStatus.NotFound or WriteStatus.ConditionNotMet or WriteStatus.WrongType)
            throw new InvalidOperationException("There is no such stream, or no such group in it.");
        if (status != WriteStatus.Done)
            throw new InvalidOperationException($"Entries cannot be delivered: {status}.");
    }

    private struct CopySink(List<StreamEntry> entries, long bytesMax) : IStreamSink
    {
        private long _bytes;

        public readonly bool IsFull => _bytes > bytesMax;

        public readonly void Begin(long count) => entries.EnsureCapacity((int)Math.Min(count, EntriesMax));

        public void Take(StreamId id, scoped StreamFields fields)
        {
            _bytes += fields.Bytes;
            var copies = new KeyValuePair<byte[], byte[]>[fields.Count];
            for (int i = 0; fields.MoveNext(); i++)
                copies[i] = new(fields.Field.ToArray(), fields.Value.ToArray());
            entries.Add(new StreamEntry(id, copies));
        }
    }

    /// <summary>Tells one reader that a key was changed; dispose it.</summary>
    /// <remarks>
    /// A change is noted while its key is locked, and read once it is not: a reader that resets the signal, and then
    /// looks, sees what was noted before.
    /// </remarks>
    private sealed class StreamSignal : ChangeObserver, IDisposable
    {
        private readonly CacheStore _store;
        private readonly byte[] _key;

        // Set by writers under the lock of the key; replaced by the reader.
        private volatile TaskCompletionSource _changed = New();

        public StreamSignal(CacheStore store, byte[] key)
        {
            _store = store;
            _key = key;
            store.Attach(this);
        }

        /// <summary>Forgets the changes so far.</summary>
        public void Reset()
        {
            if (_changed.Task.IsCompleted)
                _changed = New();
        }

        /// <summary>Waits for a change since the signal was reset.</summary>
        public Task WaitAsync(CancellationToken token) => _changed.Task.WaitAsync(token);

        /// <inheritdoc/>
        public override void Note(in ChangeNote note)
        {
            bool isOurs = note.Keyspace == _store.Keyspace
                && (note.Kind == ChangeKind.Clear || note.Key.SequenceEqual(_key));
            if (isOurs)
                _changed.TrySetResult();
        }

        /// <inheritdoc/>
        public override void Drain()
        {
        }

        // The next look throws.
        internal override void NoteDisposal() => _changed.TrySetResult();

        public void Dispose() => _store.Detach(this);

        // The reader goes on elsewhere: the writer holds a lock.
        private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
