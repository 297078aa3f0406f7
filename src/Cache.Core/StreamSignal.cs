using Cache.Core.Changes;

namespace Cache.Core;

/// <summary>Tells one reader that a key was changed; dispose it.</summary>
/// <remarks>
/// A change is noted while its key is locked, and read once it is not: a reader that resets the signal, and then looks,
/// sees what was noted before.
/// </remarks>
internal sealed class StreamSignal : ChangeObserver, IDisposable
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

    public void Dispose() => _store.Detach(this);

    // The reader goes on elsewhere: the writer holds a lock.
    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
