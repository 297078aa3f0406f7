using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Objects;

/// <summary>What edits of the expiry of fields have in common.</summary>
internal static class FieldExpiries
{
    /// <summary>Where a field is that was just written.</summary>
    public static PackedPlace PlaceOf(scoped in PackedEditor editor, scoped ReadOnlySpan<byte> field)
    {
        if (!editor.Table.TryFind(field, PackedPrint.Of(field), out var place))
            PackedCheck.ThrowDamaged();
        return place;
    }

    /// <summary>Whether a field's new moment may take the place of its present one; 0: it has none.</summary>
    /// <remarks>A field without one counts as never expiring.</remarks>
    public static bool AreMet(ExpireConditions conditions, long present, long moment)
    {
        if ((conditions & ExpireConditions.IfNone) != 0 && present != 0)
            return false;
        if ((conditions & ExpireConditions.IfAny) != 0 && present == 0)
            return false;
        if ((conditions & ExpireConditions.IfLater) != 0 && (present == 0 || moment <= present))
            return false;
        return (conditions & ExpireConditions.IfEarlier) == 0 || present == 0 || moment < present;
    }
}
