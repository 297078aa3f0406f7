using Cache.Core;

namespace Cache.Durability.Attachment;

/// <summary>The type of a record, and the kind of the value in the store.</summary>
internal static class StoredType
{
    /// <summary>A change without a value has the type of a string.</summary>
    public static byte Of(EntryKind kind) => (byte)Math.Max(0, kind - EntryKind.String);

    public static EntryKind KindOf(byte type) => EntryKind.String + type;
}
