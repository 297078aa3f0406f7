using System.Diagnostics.CodeAnalysis;
using Cache.Core.Layout;
using Cache.Core.Operations;

namespace Cache.Core;

/// <summary>Writes of one entry.</summary>
/// <remarks>
/// A write of a whole value makes the entry a string, whatever it was before. A write that changes or returns the
/// present value works only with strings: for another kind it returns <see cref="WriteStatus.WrongType"/>.
/// </remarks>
public sealed partial class CacheStore
{
    /// <summary>Writes an entry that never expires, unconditionally.</summary>
    public WriteStatus Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => Set(key, value, default);

    /// <summary>Writes an entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An interval is negative.</exception>
    public WriteStatus Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(options.SlidingMs);
        return Counted(EntryWriter.Set(_state, KeyOf(key), value, options));
    }

    /// <summary>Allocates memory for a value that is written directly into its final place.</summary>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="value">The value; dispose it.</param>
    /// <returns>
    /// False if values of this length share memory with others or are too long, or if the system has no memory: then
    /// use <see cref="Set(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>.
    /// </returns>
    public bool TryCreateValue(int length, [NotNullWhen(true)] out LargeValue? value)
    {
        ThrowIfDisposed();
        value = _state.TryCreateUncounted(length, out var block) ? new LargeValue(_state, block) : null;
        return value is not null;
    }

    /// <summary>Writes an entry with a value that is in its final place; the store takes the value over.</summary>
    /// <exception cref="ArgumentException">Another store made the value.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An interval is negative.</exception>
    /// <exception cref="ObjectDisposedException">The value was set or disposed before.</exception>
    public WriteStatus Set(ReadOnlySpan<byte> key, LargeValue value, in EntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentOutOfRangeException.ThrowIfNegative(options.SlidingMs);
        return Counted(EntryWriter.Set(_state, KeyOf(key), value.Take(_state), options));
    }

    /// <summary>Writes an entry and copies the previous value into the sink, atomically.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The new value.</param>
    /// <param name="options">Expiry and condition.</param>
    /// <param name="previous">Receives the previous value, even if the condition then forbids the write.</param>
    /// <param name="existed">Whether there was a previous value.</param>
    /// <returns>WrongType if the entry is not a string: it stays.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An interval is negative.</exception>
    public WriteStatus Set<TSink>(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntryOptions options, ref TSink previous, out bool existed)
        where TSink : struct, IValueSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(options.SlidingMs);
        return Counted(EntryWriter.Set(_state, KeyOf(key), value, options, ref previous, out existed));
    }

    /// <summary>Writes an entry if the key was not written since its version was read.</summary>
    /// <returns><see cref="WriteStatus.ConditionNotMet"/> if it was written: read again, and try again.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An interval is negative.</exception>
    public WriteStatus SetIfUnchanged(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntryOptions options, EntryVersion version)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(options.SlidingMs);
        return Counted(EntryWriter.SetIfUnchanged(_state, KeyOf(key), value, options, version));
    }

    /// <summary>Writes a short value that is computed from the present one, atomically. The expiry stays.</summary>
    /// <param name="key">The key.</param>
    /// <param name="update">Computes the value, also from an absent one.</param>
    /// <returns>
    /// <see cref="WriteStatus.ConditionNotMet"/> if the update computed none; <see cref="WriteStatus.ValueTooLong"/> if
    /// the present value is longer than the update accepts, or the new one longer than the store accepts.
    /// </returns>
    public WriteStatus Update<TUpdate>(ReadOnlySpan<byte> key, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct
    {
        ThrowIfDisposed();
        return Counted(ValueUpdater.Update(_state, KeyOf(key), ref update));
    }

    /// <summary>
    /// Overwrites a part of a value, which is extended with zeros if needed; an absent key counts as empty.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="offset">Where to write, from 0.</param>
    /// <param name="value">The bytes to write.</param>
    /// <param name="length">The length of the value afterwards, even if nothing was written.</param>
    /// <exception cref="ArgumentOutOfRangeException">The offset is negative.</exception>
    public WriteStatus SetRange(ReadOnlySpan<byte> key, int offset, ReadOnlySpan<byte> value, out int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        return Counted(RangeWriter.SetRange(_state, KeyOf(key), offset, value, atEnd: false, out length));
    }

    /// <summary>Writes behind the end of a value; an absent key counts as empty.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The bytes to write.</param>
    /// <param name="length">The length of the value afterwards, even if nothing was written.</param>
    public WriteStatus Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out int length) =>
        Counted(RangeWriter.SetRange(_state, KeyOf(key), 0, value, atEnd: true, out length));

    /// <summary>Adds to a value that is a decimal integer; an absent key counts as 0. The expiry stays.</summary>
    /// <param name="key">The key.</param>
    /// <param name="delta">The number to add, perhaps negative.</param>
    /// <param name="result">The sum, if it was written.</param>
    public WriteStatus Increment(ReadOnlySpan<byte> key, long delta, out long result)
    {
        var entryKey = KeyOf(key);
        var operation = new IncrementOperation(delta);
        var status = ShardOf(entryKey).Write(entryKey, ref operation);
        result = operation.Result;
        return Counted(status);
    }

    /// <summary>Gives an entry another expiry; ends a sliding one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expiresAtMs">
    /// Unix milliseconds of the store's clock; a moment that has passed removes the entry.
    /// </param>
    /// <param name="conditions">The conditions, all of which must hold.</param>
    /// <returns>
    /// Done, NotFound, ConditionNotMet, or OutOfMemory if there is no room for an expiry of an entry without one. While
    /// no entry may be evicted, 1/128 above the limit is reserved for that.
    /// </returns>
    public WriteStatus Expire(ReadOnlySpan<byte> key, long expiresAtMs, ExpireConditions conditions) =>
        Counted(EntryTaker.Expire(_state, KeyOf(key), Deadline.OfStore(expiresAtMs), conditions));

    /// <summary>The same with a moment of the wall clock, which is honoured even if that clock is set later.</summary>
    /// <param name="key">The key.</param>
    /// <param name="unixMs">Unix milliseconds; a moment that has passed removes the entry.</param>
    /// <param name="conditions">
    /// The conditions, all of which must hold. Moments on different clocks are compared by their present distance.
    /// </param>
    public WriteStatus ExpireAtUnixMs(ReadOnlySpan<byte> key, long unixMs, ExpireConditions conditions) =>
        Counted(EntryTaker.Expire(_state, KeyOf(key), Deadline.OfWall(unixMs), conditions));

    /// <summary>Removes an entry's expiry.</summary>
    /// <returns>Done, NotFound, or ConditionNotMet if it has none.</returns>
    public WriteStatus Persist(ReadOnlySpan<byte> key) => EntryTaker.Persist(_state, KeyOf(key));

    /// <summary>Removes an entry.</summary>
    /// <returns>Whether there was a live one.</returns>
    public bool Remove(ReadOnlySpan<byte> key) => EntryTaker.Remove(_state, KeyOf(key));

    /// <summary>Removes an entry and copies its value into the sink, atomically.</summary>
    /// <returns>Whether there was a live string; another kind of entry stays.</returns>
    public bool TryRemove<TSink>(ReadOnlySpan<byte> key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        TryRemove(key, ref sink, out _);

    /// <summary>Removes an entry and copies its value into the sink, atomically.</summary>
    /// <param name="key">The key.</param>
    /// <param name="sink">Receives the value.</param>
    /// <param name="status">Done; NotFound; or WrongType: the entry is not a string, and stays.</param>
    /// <returns>Whether the status is Done.</returns>
    public bool TryRemove<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct =>
        EntryTaker.TryRemove(_state, KeyOf(key), ref sink, out status);
}
