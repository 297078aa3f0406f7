using System.Globalization;
using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>The directives up to which size Redis keeps a collection in its compact encoding.</summary>
internal static class EncodingDirectives
{
    private const string HashFields = "hash-max-listpack-entries";
    private const string HashFieldLength = "hash-max-listpack-value";
    private const string SetIntegers = "set-max-intset-entries";
    private const string SortedSetMembers = "zset-max-listpack-entries";
    private const string SortedSetMemberLength = "zset-max-listpack-value";

    /// <summary>Whether a directive is one of these, by any of its names.</summary>
    public static bool AreOf(Directive directive) =>
        (directive.AliasOf ?? directive.Name)
            is HashFields or HashFieldLength or SetIntegers or SortedSetMembers or SortedSetMemberLength;

    /// <summary>The present values.</summary>
    public static EncodingLimits Of(ServerSettings settings) => new()
    {
        HashFields = Read(HashFields, settings),
        HashFieldLength = Read(HashFieldLength, settings),
        SetIntegers = Read(SetIntegers, settings),
        SortedSetMembers = Read(SortedSetMembers, settings),
        SortedSetMemberLength = Read(SortedSetMemberLength, settings),
    };

    private static long Read(string name, ServerSettings settings) =>
        long.Parse(DirectiveTable.Find(name)!.ReadFrom(settings), CultureInfo.InvariantCulture);
}
