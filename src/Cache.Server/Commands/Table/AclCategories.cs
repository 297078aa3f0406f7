using System.Text;

namespace Cache.Server.Commands.Table;

/// <summary>The categories of commands that ACL rules name, in Redis's order, as bits.</summary>
internal static class AclCategories
{
    public static IReadOnlyList<string> Names { get; } =
    [
        "keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap", "hyperloglog", "geo",
        "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection", "transaction", "scripting",
    ];

    // Longer than any name.
    private const int NameBytesMax = 64;

    /// <summary>
    /// The bit of a category, by the bytes of its name, which may come from a client; 0: there is none.
    /// </summary>
    public static uint Find(ReadOnlySpan<byte> name) =>
        name.Length > NameBytesMax ? 0 : Find(Encoding.Latin1.GetString(name));

    /// <summary>The bit of a category, by its name in any case of letters; 0: there is none.</summary>
    public static uint Find(string name)
    {
        for (int i = 0; i < Names.Count; i++)
        {
            if (Names[i].Equals(name, StringComparison.OrdinalIgnoreCase))
                return 1u << i;
        }

        return 0;
    }
}
