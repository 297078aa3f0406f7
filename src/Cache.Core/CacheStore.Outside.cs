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

    /// <summary>Shows a value of a load to the store before it is set: a dictionary may be made of some.</summary>
    internal void NoteLoaded(ReadOnlySpan<byte> value) => _state.Reclaimer.OfferLoaded(value);

    /// <summary>Ends a load.</summary>
    internal void EndLoad() => _state.Reclaimer.EndLoaded(mayComeAgain: true);
}
