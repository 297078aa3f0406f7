namespace Cache.Tool.Migration;

/// <summary>A request whose reply is awaited.</summary>
/// <param name="Kind">What the reply means.</param>
/// <param name="Name">The type of an entry, or the name of a command.</param>
/// <param name="Database">Its database.</param>
/// <param name="Key">Its key; empty: none.</param>
/// <param name="Bytes">Its length.</param>
/// <param name="Offset">The place of the source's stream behind it.</param>
internal readonly record struct Pending(
    PendingKind Kind, string Name, int Database, byte[] Key, int Bytes, long Offset = 0);
