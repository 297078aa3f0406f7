namespace Cache.Core;

/// <summary>What its user does outside of it: memory that is held because of it, and loading it.</summary>
public sealed partial class CacheStore
{
    /// <summary>
    /// Counts bytes that the store's user holds, such as replies for a slow reader, against the limit of all keyspaces:
    /// entries are evicted for them within a tenth of a second, or writes are refused, depending on the policy.
    /// </summary>
    /// <param name="bytes">The change; negative if fewer bytes are held.</param>
    public void AddOutsideBytes(long bytes) => _state.Budget.AddOutside(bytes);

    /// <summary>
    /// Makes room for writes of about this many bytes, as these would: entries go if they must, and the policy lets
    /// them. Afterwards others may use it: a false tells that memory is used up, a true promises nothing. Thread-safe.
    /// </summary>
    /// <param name="bytes">The bytes of keys and values; not negative.</param>
    /// <returns>False if such writes may be refused for want of memory.</returns>
    /// <exception cref="InvalidOperationException">It is the view of a transaction.</exception>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    public bool TryMakeRoom(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        ThrowIfDisposed();
        ThrowIfTransaction("make room");
        var log = _state.Log;
        long wanted = bytes + log.SegmentBytes; // They may begin a segment.
        return _state.Budget.HasRoomFor(wanted + log.SpareBytes)
            || _state.Reclaimer.MakeRoom(wanted, keptHash: 0, otherKeptHash: 0);
    }

    /// <summary>Shows a value of a load to the store before it is set: a dictionary may be made of some.</summary>
    internal void NoteLoaded(ReadOnlySpan<byte> value) => _state.Reclaimer.OfferLoaded(value);

    /// <summary>Whether a load is under way.</summary>
    internal bool IsLoading => _state.Packer.IsLoading;

    /// <summary>Begins a load, of any keyspaces, until <see cref="EndLoad"/>; before its first value.</summary>
    internal void BeginLoad() => _state.Packer.IsLoading = true;

    /// <summary>Ends a load, also one that failed.</summary>
    internal void EndLoad()
    {
        _state.Packer.IsLoading = false;
        _state.Reclaimer.EndLoaded(mayComeAgain: true);
    }
}
