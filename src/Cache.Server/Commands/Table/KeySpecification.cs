using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>
/// Which arguments of a command are keys, and what it does with them: one of the table's specifications.
/// </summary>
/// <param name="First">The index of the first key, or of their number.</param>
/// <param name="Last">The distance from it to the last key; negative: counted from the end of the request.</param>
/// <param name="Step">The distance between keys.</param>
/// <param name="Limit">Above 1, with a negative last: only the first 1/Limit of the rest is keys.</param>
/// <param name="Flags">The command's access to them, in Redis's words.</param>
internal sealed record KeySpecification(int First, int Last, int Step, int Limit, string[] Flags)
{
    private const string VariableFlags = "variable_flags";

    // No request has so many arguments.
    private const int Nowhere = int.MaxValue;

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

    /// <summary>Whether the number of the keys stands before them, as in LMPOP numkeys key key.</summary>
    public bool IsCounted { get; private init; }

    /// <summary>The word behind which the keys stand, from <see cref="First"/> on; null: they begin there.</summary>
    public byte[]? Keyword { get; private init; }

    /// <summary>Whether it is the key behind STORE of SORT, which may stand anywhere.</summary>
    public bool IsOfSortStore { get; private init; }

    public static KeySpecification Read(JsonElement specification, string commandName)
    {
        var begin = specification.GetProperty("begin_search");
        var find = specification.GetProperty("find_keys");
        string[] flags = specification.GetProperty("flags").ReadStrings();
        string? beginType = begin.GetProperty("type").GetString();
        if (beginType == "unknown")
        {
            bool isStore = commandName == "sort" && flags.Contains("OW");
            return new KeySpecification(Nowhere, 0, 1, 0, flags) { IsOfSortStore = isStore };
        }

        bool hasKeyword = beginType == "keyword";
        var spec = begin.GetProperty("spec");
        int first = spec.GetProperty(hasKeyword ? "startfrom" : "index").GetInt32();
        var range = find.GetProperty("spec");
        bool isCounted = find.GetProperty("type").GetString() == "keynum";
        Debug.Assert(!isCounted || range.GetProperty("keynumidx").GetInt32() == 0);
        Debug.Assert(!isCounted || range.GetProperty("firstkey").GetInt32() == 1);
        return new KeySpecification(
            first,
            isCounted ? 0 : range.GetProperty("lastkey").GetInt32(),
            range.GetProperty("keystep").GetInt32(),
            isCounted ? 0 : range.GetProperty("limit").GetInt32(),
            flags)
        {
            IsOfBitField = commandName == "bitfield",
            IsCounted = isCounted,
            Keyword = hasKeyword ? Encoding.ASCII.GetBytes(spec.GetProperty("keyword").GetString()!) : null,
        };
    }

    /// <summary>The indexes of the first and the last key in a request, of the words of its command.</summary>
    /// <returns>A last one before the first if there are none.</returns>
    public (int First, int Last) RangeIn(in RespRequest request, int start)
    {
        int count = request.Count - start;
        if (IsCounted)
            return CountedIn(request, start, count);
        int first = IsOfSortStore ? StoredIn(request, start, count)
            : Keyword is null ? First
            : BehindKeyword(request, start, count);
        return first >= count ? (count, -1) : (first, Math.Min(LastOf(first, count), count - 1));
    }

    private int LastOf(int first, int count)
    {
        if (Last >= 0)
            return first + Last;
        return Limit <= 1 ? count + Last : first + ((count - first) / Limit) + Last;
    }

    // With a number that is none, or more than there are words, there are no keys: the command refuses it.
    private (int First, int Last) CountedIn(in RespRequest request, int start, int count)
    {
        long keys = 0;
        bool isNumber = First < count && RespInteger.TryParse(request[start + First], out keys);
        return isNumber && keys > 0 && keys < count - First ? (First + 1, First + (int)keys) : (count, -1);
    }

    private int BehindKeyword(in RespRequest request, int start, int count)
    {
        for (int i = First; i < count - 1; i++)
        {
            if (request[start + i].Is(Keyword))
                return i + 1;
        }

        return Nowhere;
    }

    // As Redis looks for it: options that have arguments are passed over with these; the last STORE counts.
    private static int StoredIn(in RespRequest request, int start, int count)
    {
        int stored = Nowhere;
        for (int i = 2; i < count; i++)
        {
            var word = request[start + i];
            if (word.Is("LIMIT"u8))
                i += 2;
            else if (word.Is("GET"u8) || word.Is("BY"u8))
                i++;
            else if (word.Is("STORE"u8) && i + 1 < count)
                stored = i + 1;
        }

        return stored;
    }

    /// <summary>A request's access to the keys, in Redis's words.</summary>
    public string[] FlagsIn(in RespRequest request, int start) => !_isVariable ? _flags : VariedIn(request, start);

    /// <summary>A request's access to the values of the keys.</summary>
    public AclKeyAccess AccessIn(in RespRequest request, int start) =>
        !_isVariable ? _access : AccessOf(VariedIn(request, start));

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
