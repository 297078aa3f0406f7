using System.Buffers;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Writes of a whole sorted set over whatever a key has.</summary>
internal static class SortedSetReplacer
{
    /// <remarks>scores: If a member occurs twice, the last score counts. At least one.</remarks>
    public static WriteStatus Write<TScores>(StoreState state, scoped in EntryKey key, ref TScores scores)
        where TScores : struct, IScoreSource, allows ref struct
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var editor = new PackedEditor(PackedShape.SortedSet, memory);
            if (IsConverted(ref scores, state.EncodingLimits))
                editor.Flags = PackedTable.ConvertedFlag;
            var edit = new AddScoresEdit<TScores>(scores, ScoreConditions.None, state.EncodingLimits);
            var status = edit.Run(ref editor);
            scores = edit.Scores;
            return status == WriteStatus.Done
                ? CollectionReplacer.Write(state, key, EntryKind.SortedSet, editor)
                : status;
        }
        finally // The caller's source may throw, and the store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
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
