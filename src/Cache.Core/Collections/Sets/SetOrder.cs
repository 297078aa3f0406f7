using System.Diagnostics;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;

namespace Cache.Core.Collections.Sets;

/// <summary>Where a new member of a set comes.</summary>
/// <remarks>
/// As long as all are integers, and not more than Redis keeps in its encoding of these, in their ascending order: so
/// clients see them as Redis tells them. From then on behind the others.
/// </remarks>
internal static class SetOrder
{
    /// <summary>Adds a member that is absent.</summary>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public static bool TryAdd(scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, long integersMax)
    {
        Debug.Assert(!editor.Table.TryFind(member, PackedPrint.Of(member), out _));
        bool isConverted = (editor.Flags & PackedTable.ConvertedFlag) != 0
            || !CanonicalInteger.TryParse(member, out _);
        bool isAdded = isConverted
            ? editor.TryAdd(member, value: default)
            : TryInsertInteger(ref editor, member, editor.Count);
        if (isAdded && (isConverted || editor.Count > integersMax))
            editor.Flags |= PackedTable.ConvertedFlag;
        return isAdded;
    }

    /// <summary>Brings integers alone, if there are not more than a number, into their order again.</summary>
    public static void Restore(scoped ref PackedEditor editor, long integersMax)
    {
        if ((editor.Flags & PackedTable.ConvertedFlag) == 0 || editor.Count > integersMax || !AreIntegers(editor.Table))
            return;
        editor.Flags &= ~PackedTable.ConvertedFlag;
        int ordered = 1;
        Span<byte> member = stackalloc byte[CanonicalInteger.LengthMax];
        while (ordered < editor.Count && editor.Table.TryGetAt(ordered, out var place))
        {
            var name = editor.Table.NameAt(place);
            name.CopyTo(member);
            int length = name.Length;
            editor.Remove(place);
            if (!TryInsertInteger(ref editor, member[..length], ordered++))
                PackedCheck.ThrowDamaged();
        }
    }

    private static bool AreIntegers(in PackedTable table)
    {
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            if (!CanonicalInteger.TryParse(table.NameAt(place), out _))
                return false;
        }

        return true;
    }

    // Among the first ones, which are in order.
    private static bool TryInsertInteger(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, int ordered)
    {
        var table = editor.Table;
        var place = PackedTable.BeforeFirst;
        while (table.TryMoveNext(ref place))
        {
            if (place.Index >= ordered || CompareIntegers(member, table.NameAt(place)) < 0)
                return editor.TryInsert(place.Index, place.Start, member, value: default);
        }

        return editor.TryAdd(member, value: default);
    }

    /// <summary>The order of two canonical integers, without parsing them; of other texts, any.</summary>
    internal static int CompareIntegers(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        if (one.IsEmpty || other.IsEmpty) // Of a file whose writer did not note that there are others.
            return one.Length - other.Length;
        bool isNegative = one[0] == (byte)'-';
        if (isNegative != (other[0] == (byte)'-'))
            return isNegative ? -1 : 1;
        int order = one.Length != other.Length ? one.Length - other.Length : one.SequenceCompareTo(other);
        return isNegative ? -order : order;
    }
}
