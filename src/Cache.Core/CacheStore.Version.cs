using Cache.Core.Operations;

namespace Cache.Core;

/// <summary>For doors that keep copies beside the store, and must know when these are outdated.</summary>
public sealed partial class CacheStore
{
    /// <summary>The time by which reads decide expiry: up to a tick behind <see cref="NowMs"/>, and cheaper.</summary>
    internal long CoarseNowMs => _state.Clock.NowMs;

    /// <summary>Begins to note removals of a key, by any door; ends with <see cref="Unwatch"/>.</summary>
    internal WatchedKey Watch(ReadOnlySpan<byte> key) =>
        _state.Watched.Watch(_state.HashOf(key, _keyspace), _keyspace);

    /// <summary>Whether any key is watched.</summary>
    internal bool IsWatched => !_state.Watched.IsEmpty;

    internal void Unwatch(WatchedKey key) => _state.Watched.Unwatch(key);

    /// <summary>
    /// Writes an entry if the key still has what a read found, even if its bucket was written meanwhile.
    /// </summary>
    internal WriteStatus SetIfExpected(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntryOptions options, in ExpectedEntry expected)
    {
        ThrowIfDisposed();
        return Counted(ExpectedEntryWriter.Write(_state, KeyOf(key), value, options, expected));
    }

    /// <summary>
    /// Copies the value of a key into the sink, and returns a stamp to check later whether it is still current.
    /// </summary>
    /// <returns>False if there is no live entry, or it is not a string: see the stamp's kind.</returns>
    internal bool TryGetStamped<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryStamp stamp)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).Read(entryKey, touch: true, ref sink, out stamp) == ReadStatus.Found;
    }

    /// <summary>The same without counting a hit or miss or renewing the expiry.</summary>
    internal bool TryPeekStamped<TSink>(ReadOnlySpan<byte> key, ref TSink sink, out EntryStamp stamp)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key);
        return ShardOf(entryKey).Read(entryKey, touch: false, ref sink, out stamp) == ReadStatus.Found;
    }

    /// <summary>
    /// Whether the key of a found entry was not written since, by any door; if so, this counts as a read of it.
    /// </summary>
    /// <remarks>The caller must check the expiry. A write of another key may make it false: then read again.</remarks>
    internal bool TryTouch(in EntryStamp stamp) => _state.ShardOf(stamp.Hash).TryTouch(stamp);
}
