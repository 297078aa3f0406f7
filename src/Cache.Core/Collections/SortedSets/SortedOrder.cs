using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>The order of a packed sorted set: by score, then by member.</summary>
internal static class SortedOrder
{
    public static double ScoreAt(in PackedTable table, scoped in PackedPlace place)
    {
        if (!PackedScore.TryRead(table.ValueAt(place), out double score))
            PackedCheck.ThrowDamaged();
        return score;
    }

    public static int Compare(
        double score, scoped ReadOnlySpan<byte> member, double otherScore, scoped ReadOnlySpan<byte> other) =>
        score < otherScore ? -1 : score > otherScore ? 1 : member.SequenceCompareTo(other);

    /// <summary>Adds a member that is absent.</summary>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public static bool TryAdd(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, double score, EncodingLimits limits)
    {
        int flags = editor.Flags;
        if (editor.Count >= limits.SortedSetMembers || member.Length > limits.SortedSetMemberLength)
            editor.Flags |= PackedTable.ConvertedFlag;
        if (TryInsert(ref editor, member, score))
            return true;
        editor.Flags = flags;
        return false;
    }

    /// <summary>Gives a member another score.</summary>
    /// <returns>False if there is no room: it may be gone then.</returns>
    public static bool TryMove(
        scoped ref PackedEditor editor, scoped in PackedPlace place, scoped ReadOnlySpan<byte> member, double score)
    {
        editor.Remove(place);
        return TryInsert(ref editor, member, score);
    }

    // Redis's compact encoding has no −0.
    private static bool TryInsert(scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, double score)
    {
        if (score == 0 && (editor.Flags & PackedTable.ConvertedFlag) == 0)
            score = 0;
        Span<byte> value = stackalloc byte[PackedScore.LengthMax];
        value = value[..PackedScore.Write(score, value)];
        var table = editor.Table;
        var place = PackedTable.BeforeFirst;
        while (table.TryMoveNext(ref place))
        {
            if (Compare(score, member, ScoreAt(table, place), table.NameAt(place)) < 0)
                return editor.TryInsert(place.Index, place.Start, member, value);
        }

        return editor.TryAdd(member, value);
    }
}
