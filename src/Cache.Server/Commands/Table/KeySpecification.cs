using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>
/// Which arguments of a command are keys, and what it does with them: one of the table's specifications.
/// </summary>
/// <param name="First">The index of the first key, or of what tells where that is.</param>
/// <param name="Last">The distance from it to the last key; negative: counted from the end of the request.</param>
/// <param name="Step">The distance between keys.</param>
/// <param name="Limit">Above 1, with a negative last: only the first 1/Limit of the rest is keys.</param>
/// <param name="Flags">The command's access to them, in Redis's words.</param>
internal sealed record KeySpecification(int First, int Last, int Step, int Limit, string[] Flags)
{
    private const string VariableFlags = "variable_flags";

    // Of SET without its option GET, and of BITFIELD with nothing but GET.
    private static readonly string[] _overwriting = ["OW", "update"];
    private static readonly string[] _reading = ["RO", "access"];

    private readonly bool _isVariable = Array.IndexOf(Flags, VariableFlags) >= 0;
    private readonly string[] _flags = Array.FindAll(Flags, static flag => flag != VariableFlags);
    private readonly AclKeyAccess _access = AccessOf(Flags);

    /// <summary>
    /// Whether it belongs to BITFIELD, whose flags depend on its steps; those of SET depend on an option.
    /// </summary>
    public bool IsOfBitField { get; private init; }

    /// <summary>
    /// The word that stands before the keys, searched from the first index on; null: they have an index.
    /// </summary>
    public byte[]? Keyword { get; private init; }

    /// <summary>
    /// The distance from the number of the keys to the first key; 0: no number tells how many there are.
    /// </summary>
    public int FirstBehindNumber { get; private init; }

    /// <summary>Whether the table says that some arguments are keys, but not which.</summary>
    public bool IsUnknown { get; private init; }

    /// <summary>Whether it is the key behind STORE of SORT, of which the table knows no place.</summary>
    public bool IsOfSortStore { get; private init; }

    /// <summary>Whether it is of MIGRATE, which has either one key or those behind KEYS.</summary>
    public bool IsOfMigrate { get; private init; }

    /// <summary>Whether the number of arguments alone tells which of them are keys.</summary>
    public bool HasFixedPlaces =>
        !IsUnknown && !IsOfSortStore && !IsOfMigrate && Keyword is null && FirstBehindNumber == 0;

    public static KeySpecification Read(JsonElement specification, string commandName)
    {
        var (begin, search) = PartOf(specification, "begin_search");
        var (find, keys) = PartOf(specification, "find_keys");
        bool isRange = find == "range";
        string[] flags = specification.GetProperty("flags").ReadStrings();
        return new KeySpecification(
            begin switch
            {
                "index" => search.GetProperty("index").GetInt32(),
                "keyword" => search.GetProperty("startfrom").GetInt32(),
                _ => 0,
            },
            isRange ? keys.GetProperty("lastkey").GetInt32() : 0,
            find == "unknown" ? 1 : keys.GetProperty("keystep").GetInt32(),
            isRange ? keys.GetProperty("limit").GetInt32() : 0,
            flags)
        {
            IsOfSortStore = commandName == "sort" && begin == "unknown" && flags.Contains("OW"),
            IsOfBitField = commandName == "bitfield",
            IsOfMigrate = commandName == "migrate",
            Keyword = begin == "keyword" ? Encoding.ASCII.GetBytes(search.GetProperty("keyword").GetString()!) : null,
            FirstBehindNumber = find == "keynum" ? FirstBehind(keys) : 0,
            IsUnknown = begin == "unknown" || find == "unknown",
        };
    }

    /// <summary>Where the keys of a request are; of keys behind words, the next one.</summary>
    /// <param name="request">A request that has the command's words from an index on.</param>
    /// <param name="start">That index.</param>
    /// <param name="from">The distance from there at which a word may stand; 0 at first.</param>
    /// <param name="first">The distance from there to the first key.</param>
    /// <param name="last">The distance to the last key; it may be behind the request.</param>
    /// <returns>False if there are none.</returns>
    public bool TryFind(in RespRequest request, int start, int from, out int first, out int last)
    {
        int count = request.Count - start;
        (first, last) = (First, -1);
        if (IsOfSortStore)
        {
            first = last = FindStored(request, start);
            return first > 0;
        }

        if (IsOfMigrate)
        {
            int migrated = FindMigrated(request, start);
            (first, last) = Keyword is null ? (First, First) : (migrated, count - 1);
            return Keyword is null ? migrated == 0 : migrated > 0 && from == 0;
        }

        if (IsUnknown || (Keyword is not null && !TryFindKeyword(request, start, from, out first)) || first >= count)
            return false;
        if (FirstBehindNumber == 0)
        {
            last = Last >= 0 ? first + Last : Limit <= 1 ? count + Last : first + ((count - first) / Limit) + Last;
            return true;
        }

        // With a number that is none, or of more keys than there are words, the command is refused.
        if (!RespInteger.TryParse(request[start + first], out long keys) || keys < 1 || keys > count)
            return false;
        first += FirstBehindNumber;
        last = first + ((int)keys - 1) * Step;
        return last < count;
    }

    /// <summary>A request's access to the keys, in Redis's words.</summary>
    public string[] FlagsIn(in RespRequest request, int start) => !_isVariable ? _flags : VariedIn(request, start);

    /// <summary>A request's access to the values of the keys.</summary>
    public AclKeyAccess AccessIn(in RespRequest request, int start) =>
        !_isVariable ? _access : AccessOf(VariedIn(request, start));

    // As the command reads its options, or rights would be checked of another key; the last STORE counts.
    private static int FindStored(in RespRequest request, int start)
    {
        int count = request.Count - start;
        int stored = 0;
        for (int i = 2; i < count; i++)
        {
            var word = request[start + i];
            if (word.Is("LIMIT"u8))
                i += 2;
            else if (word.Is("GET"u8) || word.Is("BY"u8))
                i++;
            else if (word.Is("STORE"u8) && i + 1 < count)
                stored = ++i;
        }

        return stored;
    }

    // The first key behind KEYS; 0: there is none. A password may be that word too.
    private static int FindMigrated(in RespRequest request, int start)
    {
        const int FirstOption = 6;
        int count = request.Count - start;
        for (int i = FirstOption; i < count - 1; i++)
        {
            var word = request[start + i];
            if (word.Is("KEYS"u8))
                return i + 1;
            i += word.Is("AUTH"u8) ? 1 : word.Is("AUTH2"u8) ? 2 : 0;
        }

        return 0;
    }

    // What follows the word is a key, whatever it says: a command may read it as such.
    private bool TryFindKeyword(in RespRequest request, int start, int from, out int first)
    {
        for (int i = Math.Max(First, from); i < request.Count - start - 1; i++)
        {
            if (!request[start + i].Is(Keyword!))
                continue;
            first = i + 1;
            return true;
        }

        first = 0;
        return false;
    }

    private static (string Type, JsonElement Part) PartOf(JsonElement specification, string name)
    {
        var part = specification.GetProperty(name);
        return (part.GetProperty("type").GetString()!, part.TryGetProperty("spec", out var spec) ? spec : default);
    }

    // The number is where the keys' search begins, in all of Redis's commands.
    private static int FirstBehind(JsonElement keys)
    {
        Debug.Assert(keys.GetProperty("keynumidx").GetInt32() == 0);
        return keys.GetProperty("firstkey").GetInt32();
    }

    // Only SET and BITFIELD have variable flags.
    private string[] VariedIn(in RespRequest request, int start)
    {
        if (IsOfBitField)
            return IsReading(request, start) ? _reading : _flags;
        return IsOverwriting(request, start) ? _overwriting : _flags;
    }

    // BITFIELD with only GET, found by Redis's own check of its steps.
    private static bool IsReading(in RespRequest request, int start)
    {
        for (int i = start + 2; i < request.Count;)
        {
            int left = request.Count - i - 1;
            if (request[i].Is("GET"u8) && left >= 2)
                i += 3;
            else if (request[i].Is("OVERFLOW"u8) && left >= 1)
                i += 2;
            else
                return false;
        }

        return true;
    }

    // SET reads the key only with its option GET.
    private static bool IsOverwriting(in RespRequest request, int start)
    {
        for (int i = start + 3; i < request.Count; i++)
        {
            if (request[i].Is("GET"u8))
                return false;
        }

        return true;
    }

    // As in Redis: asking whether a key exists, or for its value's length, needs no right but to name the key.
    private static AclKeyAccess AccessOf(string[] flags)
    {
        var access = AclKeyAccess.None;
        foreach (string flag in flags)
        {
            access |= flag switch
            {
                "access" => AclKeyAccess.Read,
                "insert" or "update" or "delete" => AclKeyAccess.Write,
                _ => AclKeyAccess.None,
            };
        }

        return access;
    }
}
