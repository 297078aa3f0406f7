using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>The rules that records follow, whatever they are applied to.</summary>
internal static class RecordRules
{
    /// <summary>The error of a record, as words behind "a record that"; empty if there is none.</summary>
    public static string ProblemOf(in RecordFields fields)
    {
        if (fields.Type > RecordType.Last || fields.Codec != 0)
            return $"is of type {fields.Type} and codec {fields.Codec}, which a newer version writes";
        return fields.Kind switch
        {
            not (RecordKind.Set or RecordKind.Elements) when fields.Type != 0 =>
                $"changes a part of a value of type {fields.Type}",
            RecordKind.Elements when fields.Type == 0 => "changes elements of a string",
            RecordKind.Set when fields.SlidingMs < 0 => "has an impossible expiry",
            RecordKind.Expire when fields.SlidingMs != 0 => "gives an interval without a value",
            RecordKind.Patch when fields.Offset is < 0 or > int.MaxValue => "has an impossible offset",
            _ => "",
        };
    }

    /// <summary>The error of the keyspaces of all databases: each is that of one database.</summary>
    public static string ProblemOfDatabases(ReadOnlySpan<byte> keyspaces, int countMax)
    {
        if (keyspaces.Length > countMax)
            return $"has {keyspaces.Length} databases";
        for (int i = 0; i < keyspaces.Length; i++)
        {
            if (keyspaces[i] >= keyspaces.Length || keyspaces[..i].Contains(keyspaces[i]))
                return "gives databases impossible keyspaces";
        }

        return "";
    }
}
