using System.Text.Json;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>
/// Which arguments of a command are keys, and what it does with them: one of the table's specifications.
/// </summary>
/// <param name="First">The index of the first key.</param>
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

    public static KeySpecification Read(JsonElement specification, string commandName)
    {
        var range = specification.GetProperty("find_keys").GetProperty("spec");
        return new KeySpecification(
            specification.GetProperty("begin_search").GetProperty("spec").GetProperty("index").GetInt32(),
            range.GetProperty("lastkey").GetInt32(),
            range.GetProperty("keystep").GetInt32(),
            range.GetProperty("limit").GetInt32(),
            specification.GetProperty("flags").ReadStrings())
        {
            IsOfBitField = commandName == "bitfield",
        };
    }

    /// <summary>The index of the last key in a request of this many words; it may be behind them.</summary>
    public int LastOf(int count)
    {
        if (Last >= 0)
            return First + Last;
        return Limit <= 1 ? count + Last : First + ((count - First) / Limit) + Last;
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
