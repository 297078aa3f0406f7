using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;

namespace Cache.Core.Hybrid;

/// <summary>Changes of the second level by others, if something tells of them.</summary>
/// <remarks>
/// Values come and changes are told of on different connections, in any order. So a value that was asked for before a
/// change was heard of is given to who waits, and not kept: the flight watches its key in the store from before the
/// question until the value is kept, and a change removes the key there, present or not. When changes may have been
/// missed, everything in this process is of the past: each value that is kept carries the generation in which it was
/// asked for, as the last of its tags, and counts in that generation only. So what files or other doors have left in
/// the store does not count.
/// </remarks>
public sealed partial class StoreHybridCache
{
    private const int TagBytes = sizeof(ulong);

    private static ReadOnlySpan<byte> MarkKeyBytes => "__cache:tag:"u8; // MarkKeyPrefix

    private readonly Coherence? _coherence;

    // 0: nothing tells of changes. Else random: another process's, whose values files have kept, is never the same.
    private ulong _coherenceTag;

    /// <summary>A key of the second level has changed.</summary>
    /// <returns>Whether there was a value of it here.</returns>
    internal bool Invalidate(ReadOnlySpan<byte> key)
    {
        if (key.Length > CacheStore.KeyLengthMax)
            return false;
        try
        {
            if (key.StartsWith(MarkKeyBytes))
                InvalidateMarked(key[MarkKeyBytes.Length..]);
            return _store.Remove(key);
        }
        catch (ObjectDisposedException) when (_store.IsDisposed)
        {
            return false;
        }
    }

    /// <summary>Any key of the second level may have changed.</summary>
    internal void InvalidateAll()
    {
        // In this order: who sees a value of the new generation as ready has seen the table's.
        Volatile.Write(ref _coherenceTag, NewCoherenceTag());
        _invalidations.Outdate();
    }

    private static ulong NewCoherenceTag()
    {
        Span<byte> bytes = stackalloc byte[TagBytes];
        RandomNumberGenerator.Fill(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes) | 1;
    }

    // Of the moment only the second level knows; this one is later, and makes a few newer values void too.
    private void InvalidateMarked(ReadOnlySpan<byte> tag)
    {
        if (tag.SequenceEqual("*"u8))
            _invalidations.InvalidateAll();
        else if (ulong.TryParse(tag, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong hash))
            _invalidations.Invalidate(hash);
    }

    /// <summary>Whether what this process has of a key counts, if it is of the present generation.</summary>
    private bool CountsHere(ReadOnlySpan<char> key) => _coherence is null || _coherence.Counts(key);

    private bool IsOfThisGeneration(in StoredValue stored) => _coherence is null
        || stored.TagHashes.Length >= TagBytes
        && BinaryPrimitives.ReadUInt64LittleEndian(stored.TagHashes[^TagBytes..])
            == Volatile.Read(ref _coherenceTag);

    /// <summary>The tags of a value that is kept here: its own, and the generation.</summary>
    private static ulong[] TagsHere(ulong generation, ulong[] tags) =>
        generation == 0 || tags is [.., var last] && last == generation ? tags : [.. tags, generation];
}
