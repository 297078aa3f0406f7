using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>Redis's names of types, for TYPE and SCAN.</summary>
internal static class TypeName
{
    public static ReadOnlySpan<byte> Of(EntryKind kind) => kind switch
    {
        EntryKind.String => "string"u8,
        EntryKind.Hash => "hash"u8,
        EntryKind.List => "list"u8,
        EntryKind.Set => "set"u8,
        EntryKind.SortedSet => "zset"u8,
        EntryKind.Stream => "stream"u8,
        _ => "none"u8,
    };

    /// <summary>The kind of a name, in any case of letters; None for an unknown name.</summary>
    public static EntryKind Parse(ReadOnlySpan<byte> name)
    {
        for (var kind = EntryKind.String; kind <= EntryKind.Stream; kind++)
        {
            if (name.Is(Of(kind)))
                return kind;
        }

        return EntryKind.None;
    }
}
