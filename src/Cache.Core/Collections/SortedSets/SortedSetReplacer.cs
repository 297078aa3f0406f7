using System.Buffers;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Writes of a whole sorted set over whatever a key has; dispose it.</summary>
internal sealed class SortedSetReplacer(StoreState state) : IDisposable
{
    private readonly LargeResult _large = new(state, EntryKind.SortedSet);

    /// <summary>What a journal is told of a long one.</summary>
    public int ToldBytes => _large.ToldBytes;

    /// <remarks>scores: If a member occurs twice, the last score counts. At least one.</remarks>
    public static WriteStatus Write<TScores>(StoreState state, scoped in EntryKey key, ref TScores scores)
        where TScores : struct, IScoreSource, allows ref struct
    {
        using var replacer = new SortedSetReplacer(state);
        var status = replacer.Prepare(key, ref scores);
        return status == WriteStatus.Done ? replacer.Store(key, ref scores) : status;
    }

    /// <summary>
    /// Makes a large collection, if the members do not fit in a record; best while the key is not locked.
    /// </summary>
    public WriteStatus Prepare<TScores>(scoped in EntryKey key, ref TScores scores)
        where TScores : struct, IScoreSource, allows ref struct
    {
        _large.Discard();
        if (scores.Count == 0)
            return WriteStatus.Done;
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var editor = new PackedEditor(PackedShape.SortedSet, memory);
            if (TryPack(key, ref scores, ref editor))
                return WriteStatus.Done;
        }
        finally // The caller's source may throw.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }

        var elements = new ScoredSource<TScores>(scores);
        var status = _large.Make(key, ref elements);
        scores = elements.Scores;
        return status;
    }

    /// <summary>Gives the key what was prepared.</summary>
    public WriteStatus Store<TScores>(scoped in EntryKey key, ref TScores scores)
        where TScores : struct, IScoreSource, allows ref struct
    {
        if (_large.IsMade)
            return _large.Link(key);
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var editor = new PackedEditor(PackedShape.SortedSet, memory);
            return TryPack(key, ref scores, ref editor)
                ? CollectionReplacer.Write(state, key, EntryKind.SortedSet, editor)
                : WriteStatus.CollectionTooLong;
        }
        finally // The caller's source may throw, and the store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
    }

    /// <summary>Forgets what was prepared.</summary>
    public void Clear() => _large.Discard();

    public void Dispose() => _large.Dispose();

    // False if they do not fit in a record.
    private bool TryPack<TScores>(scoped in EntryKey key, ref TScores scores, scoped ref PackedEditor editor)
        where TScores : struct, IScoreSource, allows ref struct
    {
        if (IsConverted(ref scores, state.EncodingLimits))
            editor.Flags = PackedTable.ConvertedFlag;
        var edit = new AddScoresEdit<TScores>(scores, ScoreConditions.None, state.EncodingLimits);
        var status = edit.Run(ref editor);
        scores = edit.Scores;
        return status == WriteStatus.Done
            && CollectionLimits.MayBecome(state.ShardOf(key.Hash), key, lengthBefore: 0, editor.Length);
    }

    // Before the first member: what Redis keeps depends on it.
    private static bool IsConverted<TScores>(ref TScores scores, EncodingLimits limits)
        where TScores : struct, IScoreSource, allows ref struct
    {
        bool isConverted = scores.Count > limits.SortedSetMembers;
        for (int i = 0; i < scores.Count && !isConverted; i++)
            isConverted = scores.GetKey(i).Length > limits.SortedSetMemberLength;
        return isConverted;
    }
}
