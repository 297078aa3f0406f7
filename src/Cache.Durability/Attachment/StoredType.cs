using Cache.Core;
using Cache.Core.Collections;
using Cache.Durability.Format;

namespace Cache.Durability.Attachment;

/// <summary>The type of a record, and the kind of the value in the store.</summary>
internal static class StoredType
{
    /// <summary>A change without a value has the type of a string.</summary>
    public static byte Of(EntryKind kind) => (byte)Math.Max(0, kind - EntryKind.String);

    public static EntryKind KindOf(byte type) => EntryKind.String + type;

    /// <summary>The error of a record's value, as words behind "a record that"; empty if there is none.</summary>
    public static string ProblemOf(in RecordFields fields, ReadOnlySpan<byte> value) =>
        fields.Type == RecordType.String || IsWhole(fields, value)
            ? ""
            : $"has a damaged value of type {fields.Type}";

    private static bool IsWhole(in RecordFields fields, ReadOnlySpan<byte> value) =>
        fields.Kind == RecordKind.Elements
            ? StoredCollection.AreChanges(KindOf(fields.Type), value)
            : StoredCollection.IsWhole(KindOf(fields.Type), value);
}
